"""How a crowd is written to: in parts, so that nobody waits long behind it, nor in it; one that fails stops nobody."""

from __future__ import annotations

import asyncio

from server.settings import PerAddress, Settings
from server.web.endpoint import AT_ONCE, Endpoint
from server.web.gate import Gate
from server.web.limits import Limits
from server.web.origins import Origins
from server.web.session import Surroundings
from server.web.traffic import Traffic
from tests.web.echo_hub import EchoHub


class Written:
    """A socket that notes when it is written to."""

    def __init__(self, order: list[str], name: str, *, fails: bool = False) -> None:
        self.order = order
        self.name = name
        self.fails = fails
        self.aborted = False

    def flush(self) -> None:
        self.order.append(self.name)
        if self.fails:
            raise OSError("no")

    def abort(self) -> None:
        self.aborted = True


def make() -> Endpoint:
    settings = Settings()
    limits = Limits(PerAddress(), lambda: 0.0)
    around = Surroundings(EchoHub(), settings.wire, Traffic(), Gate())  # type: ignore[arg-type]
    return Endpoint(settings, around, limits, Origins(()))


async def test_who_is_woken_first_is_written_to_first() -> None:
    endpoint, order = make(), []
    names = [f"spectator {number}" for number in range(3 * AT_ONCE)]
    for name in ("player", *names):
        endpoint.wake(Written(order, name))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    assert order == ["player", *names[: AT_ONCE - 1]]
    for _ in range(3):
        await asyncio.sleep(0)
    assert order == ["player", *names]


async def test_a_player_s_next_does_not_wait_for_the_crowd() -> None:
    endpoint, order = make(), []
    for number in range(4 * AT_ONCE):
        endpoint.wake(Written(order, str(number)))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    assert len(order) == AT_ONCE
    endpoint.wake(Written(order, "player"))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    assert order[AT_ONCE] == "player"
    for _ in range(4):
        await asyncio.sleep(0)
    assert [name for name in order if name != "player"] == [str(number) for number in range(4 * AT_ONCE)]


async def test_nobody_waits_for_all_who_come_later() -> None:
    endpoint, order = make(), []
    for turn in range(20):
        for number in range(2 * AT_ONCE):  # more than are written to at once are woken in every turn
            endpoint.wake(Written(order, f"{turn}.{number}"))  # type: ignore[arg-type]
        await asyncio.sleep(0)
    for turn in range(18):
        assert {f"{turn}.{number}" for number in range(2 * AT_ONCE)} <= set(order), f"of turn {turn} somebody waits"


async def test_one_that_can_not_be_written_to_stops_nobody() -> None:
    endpoint, order = make(), []
    sockets = [Written(order, str(number), fails=number == 1) for number in range(3)]
    for socket in sockets:
        endpoint.wake(socket)  # type: ignore[arg-type]
    await asyncio.sleep(0)
    assert order == ["0", "1", "2"]
    assert [socket.aborted for socket in sockets] == [False, True, False]
