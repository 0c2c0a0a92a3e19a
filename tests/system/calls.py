"""HTTP calls to a real server with whatever headers a test wants; every answer is held to the OpenAPI document."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from tests import truth
from tests.processes import PATIENCE, ServerProcess


async def _check(response: httpx.Response) -> None:
    body = await response.aread()
    if response.request.method not in ("OPTIONS", "HEAD"):
        truth.answer(response.request.method, response.request.url.path, response.status_code, body)


@asynccontextmanager
async def calling(server: ServerProcess, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client whose every call has these headers."""
    hooks = {"response": [_check]}
    async with httpx.AsyncClient(base_url=server.url, headers=headers, event_hooks=hooks, timeout=PATIENCE) as client:
        yield client


def code_of(response: httpx.Response) -> str:
    """The code of a refusal."""
    return str(response.json()["error"]["code"])
