"""The endpoint as an echo, for the Autobahn test suite: what a client of any rule-breaking kind can do to the framing.

The suite's client (`autobahntestsuite` 0.8.2) runs on Python 2.7 only, so it is no part of the tests. By hand:

    PHAROS_PORT=9001 PHAROS_FRAME_BYTES=20000000 PHAROS_JOIN_WITHIN=600000 python -m tests.web.autobahn_server
    wstest -m fuzzingclient    # with the server ws://127.0.0.1:9001/ws in its fuzzingclient.json

for all cases of text, and the same with `binary` behind the module's name for 1.2.*, 9.2.*, 9.4.*, 9.6.* and 9.8.*
(compression, 12.* and 13.*, is never agreed on). What comes of it: all pass, but for 7.1.5, where a close frame amid a
message is answered with 1002, not 1000; and 6.4.*, where broken UTF-8 is found at the end of a message, not before.
"""

from __future__ import annotations

import os
import sys

from websockets.http11 import Request, Response

from server import logs
from server.settings import read_settings
from server.web import frames, serving
from server.web.site import Site
from server.web.socket import Socket
from tests.web.echo_hub import EchoHub

BINARY = sys.argv[1:] == ["binary"]


class Echo(Socket):
    """Says whatever it is told."""

    def _open(self, request: Request, response: Response) -> None:
        super()._open(request, response)
        self._assembly = frames.Assembly(self._endpoint.wire.frame_bytes, binary=BINARY)
        self._outbox.take()  # an echo does not begin by itself

    def _message(self, payload: bytes | None) -> None:
        if payload is not None:
            self._transport.write(self._endpoint.framings[BINARY].frame(payload))


if __name__ == "__main__":
    frames.FRAGMENTS = 10**9  # type: ignore[misc]
    serving.Socket = Echo  # type: ignore[misc]
    settings = read_settings(os.environ)
    logs.configure(settings.log, settings.log_level)
    serving.serve(Site(EchoHub(), settings))  # type: ignore[arg-type]
