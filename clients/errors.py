"""What can go wrong for a client."""

from __future__ import annotations

import os
import socket
import urllib.error


class Refused(Exception):  # noqa: N818 - the server's answer, not a fault of ours
    """The server said no: `code` for programs, `message` for people, `retry_after` in ms where waiting helps."""

    def __init__(self, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.retry_after = retry_after


class Unreachable(Exception):  # noqa: N818
    """The server can't be reached."""


class NoServer(Unreachable):
    """Nothing answers at the server's address; the text says which, and why."""

    def __init__(self, url: str, error: BaseException) -> None:
        super().__init__(f"no server answers at {url} ({_reason(error)})")


def _reason(error: BaseException) -> str:
    """Why, in the system's words where it has some."""
    if isinstance(error, urllib.error.URLError) and isinstance(error.reason, BaseException):
        return _reason(error.reason)
    if isinstance(error, TimeoutError):
        return "not in time"
    if isinstance(error, OSError) and error.errno and not isinstance(error, socket.gaierror):
        return os.strerror(error.errno).lower()
    return str(getattr(error, "strerror", None) or error)


def in_words(error: Exception) -> str:
    """What a command says of an error: a refusal's sentence without its code; how to get a server where none is."""
    if isinstance(error, Refused):
        return error.message
    return f"{error}; `make run` starts one, --url names another" if isinstance(error, NoServer) else str(error)
