"""The ceiling: a bare ASGI WebSocket under uvicorn that tells four peers 200 bytes for whatever one of them sends.

No rules, no state, no journal, no HTTP: `python -m bench.echo`. Says on standard output at which port it listens.
"""

from __future__ import annotations

import asyncio
import socket
from collections import defaultdict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn

UPDATE = "u" * 200

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

rooms: defaultdict[str, set[Send]] = defaultdict(set)


async def app(scope: Message, receive: Callable[[], Awaitable[Message]], send: Send) -> None:
    """The path names the room."""
    if scope["type"] != "websocket":
        return
    peers = rooms[scope["path"]]
    await receive()
    await send({"type": "websocket.accept"})
    peers.add(send)
    while (await receive())["type"] == "websocket.receive":
        for peer in tuple(peers):
            await peer({"type": "websocket.send", "text": UPDATE})
    peers.discard(send)


def main() -> None:
    """Serve until a signal."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"port {listening.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        app, ws="websockets-sansio", ws_per_message_deflate=False, lifespan="off", log_level="warning", access_log=False
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(uvicorn.Server(config).serve([listening]))


if __name__ == "__main__":
    main()
