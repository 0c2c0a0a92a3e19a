"""Serving with uvicorn, and stopping in the right order.

uvicorn's own way down closes sockets before anybody could say good-bye, waits for handlers without end, and hands the
signal on to the shell. Here:

1. Not ready any more; `closing` to every client; who comes now is told the same and sent away.
2. The hub finishes what is on its way to the store; the replies go out.
3. Every connection is closed with 1001; nobody new is accepted.
4. Whatever is still there when the time is up is cut, a thread of the store that is stuck included. The exit code is 0
   all the same: nothing was lost.

A second signal cuts at once. Where the settings say so, the end of the standard input counts as a signal.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import os
import signal
import socket
import threading
from collections.abc import Generator, Sequence
from typing import Any, cast

import structlog
import uvicorn
from uvicorn.server import ServerState

from server.web.gate import Gate
from server.web.http import BoundedHttp
from server.web.site import Site
from server.web.socket import Socket
from server.web.watchdog import Watchdog

SIGNALS = (signal.SIGINT, signal.SIGTERM)

SHARE_OF_HUB = 0.6
"""Which part of the time to stop the hub may use, so that time is left to say good-bye."""

FORCED = 1.0
"""Seconds that are left after a second signal."""

COLLECTIONS = (10_000, 20, 50)
"""Thresholds of the collector: an action leaves some hundred new objects and no cycles; looking often finds nothing."""


class CanNotListen(Exception):  # noqa: N818 - reads as the statement it makes
    """The address can't be had; the text is one line that says why."""


log = structlog.get_logger()


class Server(uvicorn.Server):
    """One process that serves one site."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._force = Gate()
        self._watchdog = Watchdog()
        settings = site.settings
        super().__init__(
            uvicorn.Config(
                site.app,
                host=settings.host,
                port=settings.port,
                loop="auto",
                http=cast(type[asyncio.Protocol], self._new_call),
                ws=cast(type[asyncio.Protocol], self._new_socket),
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
            )
        )

    def _new_call(self, **uvicorn: Any) -> BoundedHttp:
        """As uvicorn makes a protocol for a connection."""
        endpoint, settings = self._site.endpoint, self._site.settings
        return BoundedHttp(endpoint.limits, endpoint.proxies, settings.call_within, **uvicorn)

    def _new_socket(self, *, server_state: ServerState, **_: object) -> Socket:
        """As uvicorn makes a protocol for a request with `Upgrade: websocket`."""
        return Socket(self._site.endpoint, cast(set[asyncio.Protocol], server_state.connections))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say where."""
        await super().startup(sockets)
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        self._site.serve(port)
        log.info("serving", url=_url(host, port))

    def _log_started_message(self, listeners: Sequence[socket.SocketType]) -> None:
        """`startup` says it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop at a signal, and keep it to ourselves."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._signal)
        if self._site.settings.stop_with_stdin:
            threading.Thread(target=self._await_end_of_input, args=(loop,), daemon=True).start()
        try:
            yield
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)

    def _await_end_of_input(self, loop: asyncio.AbstractEventLoop) -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        with contextlib.suppress(RuntimeError):  # the loop is closed: the server has stopped already
            loop.call_soon_threadsafe(self._signal)

    def _signal(self) -> None:
        if self.should_exit:
            self._watchdog.start(FORCED)
            self.force_exit = True
            self._force.shut()
            self._site.endpoint.abort()
        else:
            self._site.gate.shut()
            self._watchdog.start(self._site.settings.shutdown_within / 1000)
            self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002 - uvicorn's
        """The way down, in the order of this module's docstring."""
        site, settings = self._site, self._site.settings
        loop = asyncio.get_running_loop()
        ends = loop.time() + settings.shutdown_within / 1000
        log.info("stopping", connections=site.traffic.connections)
        site.gate.shut()
        site.endpoint.drain()
        await self._force.wait(settings.shutdown_delay / 1000)
        await self._stop_hub((ends - loop.time()) * SHARE_OF_HUB)
        site.endpoint.close()
        for server in self.servers:
            server.close()
        left = max(0.0, ends - loop.time())
        if not await site.endpoint.closed(min(left / 2, settings.wire.close_within / 1000)):
            log.warning("connections cut", connections=site.traffic.connections)
        site.endpoint.abort()
        site.lag.stop()
        await self._finish_calls(ends)
        log.info("stopped")

    async def _stop_hub(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await self._site.hub.stop()
        except TimeoutError:
            log.error("the store did not finish in time")
        except Exception:
            log.exception("the hub did not stop well")

    async def _finish_calls(self, ends: float) -> None:
        """Let HTTP calls finish; those that don't are cancelled."""
        for connection in tuple(self.server_state.connections):
            connection.shutdown()
        left = max(0.0, ends - asyncio.get_running_loop().time() - 0.5)
        if self.server_state.tasks:
            _, late = await asyncio.wait(tuple(self.server_state.tasks), timeout=left)
            for task in late:
                task.cancel()


def serve(site: Site) -> None:
    """Serve the site on an event loop of its own, until a signal.

    Raises:
        CanNotListen: somebody else has the address, or it is none of this machine's.
        StoreUnusable: there is no point in waiting for the hub's store.
    """
    server = Server(site)

    async def main() -> None:
        sockets = await listening(site.settings.host, site.settings.port)
        await site.hub.start()
        # What is there by now stays: no collection of garbage need look at it again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECTIONS)
        await server.serve(sockets)

    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(main())


async def listening(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at every address of this host.

    Raises:
        CanNotListen: they can't be had.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        places = {(family, address) for family, _, _, _, address in found}
        return [socket.create_server(address[:2], family=family) for family, address in sorted(places)]
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CanNotListen(f"PHAROS_PORT: {host}:{port} is taken by another program") from None
        why = error.strerror if isinstance(error, socket.gaierror) or not error.errno else os.strerror(error.errno)
        raise CanNotListen(f"PHAROS_HOST: {host}:{port} can't be listened at: {why}") from None


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
