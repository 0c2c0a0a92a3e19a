"""The scripts that run in the server, from `lua/`: each one step, with every key declared."""

from __future__ import annotations

import hashlib
from importlib.resources import files

Argument = str | bytes | int
Command = tuple[Argument, ...]


class Script:
    """A script by its digest; in full only for a server that does not know it (any more)."""

    __slots__ = ("digest", "source")

    def __init__(self, name: str) -> None:
        folder = files("server.store.redis") / "lua"
        self.source = (folder / "prelude.lua").read_text() + (folder / f"{name}.lua").read_text()
        self.digest = hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()
        SCRIPTS[self.digest] = self

    def __call__(self, keys: tuple[str, ...], *arguments: Argument) -> Command:
        """The command that runs it."""
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)


SCRIPTS: dict[str, Script] = {}


def in_full(command: Command) -> Command:
    """The same command with the text of its script."""
    return ("EVAL", SCRIPTS[str(command[1])].source, *command[2:])


APPEND = Script("append")
HEADS = Script("heads")
SAVE = Script("save")
REARM = Script("rearm")
SWEEP = Script("sweep")
SAY = Script("say")
ATTACHED = Script("attached")
LOOK = Script("look")
QUARANTINE = Script("quarantine")
ARCHIVE = Script("archive")
FORGET = Script("forget")
