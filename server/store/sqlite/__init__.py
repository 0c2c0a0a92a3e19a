"""The embedded store: one SQLite file, no set-up, several processes on one host; survives kill -9.

`store` is the store itself, on the side of the event loop; `lane` a thread with a connection, which takes everything
that waits as one transaction; `writes` and `reads` what is done in such a transaction; `watch` finds out what other
processes did; `schema` opens the file.
"""

from server.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
