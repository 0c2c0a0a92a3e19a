"""Real server processes for tests: started on a free port, spoken to over real sockets, stopped by their id."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests import truth

ROOT = Path(__file__).parent.parent
PATIENCE = 60.0
"""Seconds to wait for what must come; a test that waits so long has failed."""


class ServerProcess:
    """One server. Its log is read as it comes, one JSON map a line."""

    def __init__(self, environment: Mapping[str, str], module: str = "server", cwd: Path | None = None) -> None:
        """Start `python -m module`; the settings in `environment` besides the ones that tests need."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PHAROS_")}
        settings = {"PHAROS_PORT": "0", "PHAROS_LOG": "json", "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", module],
            env={**clean, **settings, **environment},
            cwd=cwd or ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.log: list[dict[str, Any]] = []
        self.noise: list[str] = []
        """Lines that are no JSON: what was written past the log."""
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = 0

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                try:
                    entry = json.loads(line)
                except ValueError:
                    self.noise.append(line.decode(errors="replace"))
                else:
                    self.log.append(entry)
                    self._lines.put(entry)
        self._lines.put(None)

    def wait_for(self, event: str) -> dict[str, Any]:
        """The next line of the log about this event.

        Raises:
            AssertionError: it did not come, or the process ended.
        """
        while True:
            try:
                entry = self._lines.get(timeout=PATIENCE)
            except queue.Empty:
                raise AssertionError(f"the server never said {event!r}") from None
            assert entry is not None, f"the server ended before it said {event!r}: {self.noise}"
            if entry["event"] == event:
                return entry

    def wait_ready(self) -> None:
        """Wait until the server listens and says that it is ready."""
        url = self.wait_for("serving")["url"]
        self.port = int(url.rpartition(":")[2])
        pause = threading.Event()
        for _ in range(int(PATIENCE / 0.05)):
            if self.get("/readyz")[0] == 200:
                return
            pause.wait(0.05)
        raise AssertionError("the server never became ready")

    def get(self, path: str) -> tuple[int, bytes]:
        """Status and body of a GET."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            status, body = response.status, response.read()
        finally:
            connection.close()
        truth.answer("GET", path, status, body)
        return status, body

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    def signal(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def wait(self) -> int:
        """The exit code, once the process has ended and its log is read."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def stop(self) -> int:
        """Ask the process to end; the exit code."""
        if self.process.poll() is None:
            self.signal()
        return self.wait()

    def kill(self) -> None:
        """End the process as a crash would."""
        self.process.kill()
        self.wait()

    def complaints(self) -> list[Any]:
        """What it wrote that nobody should have to read: warnings, errors, and what is no line of the log."""
        return [*(entry for entry in self.log if entry["level"] not in ("info", "debug")), *self.noise]

    def text(self) -> str:
        """Everything it wrote."""
        return "\n".join([*map(json.dumps, self.log), *self.noise])


@contextlib.contextmanager
def serving(
    environment: Mapping[str, str] | None = None, *, module: str = "server", cwd: Path | None = None
) -> Iterator[ServerProcess]:
    """A server that is ready, and is stopped in the end, unless the test did so itself."""
    server = ServerProcess(environment or {}, module, cwd)
    try:
        server.wait_ready()
        yield server
        server.stop()
    finally:
        if server.process.poll() is None:
            server.kill()


@contextlib.contextmanager
def serving_well(environment: Mapping[str, str] | None = None, *, module: str = "server") -> Iterator[ServerProcess]:
    """The same; and it has to end well, and to have had nothing to complain of."""
    with serving(environment, module=module) as server:
        yield server
    assert server.process.returncode == 0
    assert not server.complaints(), server.complaints()
