"""What holds for all tests: no deadlines for property tests, and every frame and answer is held against the schemas.

On a machine that is busy otherwise, a slow example says nothing; hence no deadlines.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import signal
import urllib.error
import urllib.request
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from hypothesis import HealthCheck, settings

from protocol.json_codec import JsonCodec
from protocol.msgpack_codec import MsgpackCodec
from tests import truth

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job: what tests start would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("pharos", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pharos")

HELD_TO_THE_SCHEMAS = ("tests/system/", "tests/rooms/", "tests/clients/")
"""Tests of whole games; the others make up frames, also wrong ones."""


def _decoding(kind: type[Any], parse: Callable[[bytes], Any]) -> Callable[..., Any]:
    original = kind.decode_server

    def decode(self: Any, payload: bytes) -> Any:
        truth.frame(parse(payload))
        return original(self, payload)

    return decode


def _open(original: Callable[..., Any]) -> Callable[..., Any]:
    def opened(opener: urllib.request.OpenerDirector, request: urllib.request.Request, *args: Any, **more: Any) -> Any:
        method, path = request.get_method(), urlsplit(request.full_url).path
        try:
            with original(opener, request, *args, **more) as answer:
                body, status = answer.read(), answer.status
        except urllib.error.HTTPError as error:
            body = error.read()
            truth.answer(method, path, error.code, body)
            raise urllib.error.HTTPError(error.url, error.code, error.reason, error.headers, io.BytesIO(body)) from None
        truth.answer(method, path, status, body)
        return contextlib.nullcontext(SimpleNamespace(read=lambda: body, status=status))

    return opened


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what is none of the tests on this machine: nobody should take it for tested."""
    if not shutil.which("node"):
        terminalreporter.write_line("No node on PATH: tests/clients/javascript/test_example_bot.py was not run.")


@pytest.fixture(autouse=True)
def _true_to_the_documents(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the project's own clients hear in the tests of whole games is checked."""
    if any(part in str(request.path) for part in HELD_TO_THE_SCHEMAS):
        monkeypatch.setattr(JsonCodec, "decode_server", _decoding(JsonCodec, json.loads))
        monkeypatch.setattr(MsgpackCodec, "decode_server", _decoding(MsgpackCodec, msgspec.msgpack.decode))
        director = urllib.request.OpenerDirector
        monkeypatch.setattr(director, "open", _open(director.open))
