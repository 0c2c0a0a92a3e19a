"""The terminal program in a pseudo-terminal: keys go in, the screen is read as a person reads it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import pexpect
import pyte

from tests.processes import PATIENCE, ROOT

KEYS = {"enter": "\r", "escape": "\x1b", "tab": "\t", "up": "\x1b[A", "down": "\x1b[B", "pagedown": "\x1b[6~"}


class TerminalProcess:
    """`python -m clients.terminal` with these arguments, on a screen of this size."""

    def __init__(self, arguments: Sequence[str], home: Path, *, size: tuple[int, int] = (80, 24), **more: str) -> None:
        """`home`: where its seats are kept. `more`: variables of its environment."""
        columns, rows = size
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")}
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "clients.terminal", *arguments],
            env={
                **clean,
                "PYTHONPATH": str(ROOT),
                "TERM": "xterm-256color",
                "XDG_STATE_HOME": str(home),
                **more,
            },
            dimensions=(rows, columns),
        )

    def __enter__(self) -> TerminalProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.isalive():
            self.process.kill(signal.SIGKILL)
            self.process.wait()
        self.process.close()

    @property
    def text(self) -> str:
        """What stands on the screen, line by line."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def press(self, *keys: str) -> None:
        """Press keys; a name that is none is typed."""
        for key in keys:
            if key.startswith("ctrl+"):
                self.process.sendcontrol(key.removeprefix("ctrl+"))
            else:
                self.process.send(KEYS.get(key, key))

    def wait_for(self, *texts: str, gone: str | None = None) -> str:
        """The screen, once it has all the texts, and not the one that is to go.

        Raises:
            AssertionError: it did not come to it.
        """
        return self.wait_until(lambda text: all(t in text for t in texts) and (gone is None or gone not in text), texts)

    def wait_until(self, holds: Callable[[str], bool], wanted: object = "what was wanted") -> str:
        """The screen, once something holds of it."""
        end = time.monotonic() + PATIENCE
        while not holds(self.text):
            assert time.monotonic() < end, f"{wanted} never came; the screen:\n{self.text}"
            if not self._read():
                assert holds(self.text), f"the program ended without {wanted}; the screen:\n{self.text}"
        return self.text

    def end(self) -> int:
        """The exit code, once the program has ended."""
        end = time.monotonic() + 3 * PATIENCE
        while self._read():
            assert time.monotonic() < end, f"it goes on; the screen:\n{self.text}"
        self.process.wait()
        return int(self.process.exitstatus)

    def _read(self) -> bool:
        try:
            data = self.process.read_nonblocking(65536, timeout=0.2)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self._stream.feed(data)
        return True
