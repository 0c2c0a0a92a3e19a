"""The sea: routes and matches, *sail*, the privilege to swap dock houses, the crew that stays on an island."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from server.engines.burano.actions import Sail, Send, Skip, Swap
from server.engines.burano.boards import Colour, Node
from server.engines.burano.box import Components, FastBoat
from server.engines.burano.events import CrewSent, Sailed, Swapped
from server.engines.burano.state import Catching, Crewing, Fishing, Phase, Sea, SeaIsland, State, with_item
from server.engines.burano.steps import wheel
from server.engines.burano.steps.buildings import holds
from server.engines.burano.steps.catch import catch_or_go_on
from server.engines.burano.steps.play import Play, may_use_privilege
from server.engines.burano.steps.rounds import resume, skip_work
from server.engines.engine import Action, IllegalAction

Route = tuple[Node, ...]


def matches(reds: tuple[Colour, ...], docks: tuple[Colour, ...]) -> int:
    """The size of the multiset intersection of red colours and dock houses (D2)."""
    return sum(min(reds.count(colour), docks.count(colour)) for colour in set(reds))


def with_island(sea: Sea, number: int, island: SeaIsland) -> Sea:
    """The sea with another value of that island."""
    return replace(sea, islands=with_item(sea.islands, number, island))


def routes(state: State, box: Components) -> Iterator[Route]:
    """Where the boat may go, in order: along one route, with the fast boat also two, not the same one back.

    It ends in a harbour or on an island with a match; what lies on the way of the fast boat does nothing.
    """
    family = state.acting
    reds = wheel.reds(family.wheel, box)
    fast = holds(box, family, FastBoat)
    for first in box.sea.ways[family.boat]:
        if _may_end(state, box, reds, first):
            yield (first,)
        if fast:
            for second in box.sea.ways[first]:
                if second != family.boat and _may_end(state, box, reds, second):
                    yield first, second


def _may_end(state: State, box: Components, reds: tuple[Colour, ...], node: Node) -> bool:
    return not box.sea.is_island(node) or matches(reds, state.sea.islands[node].docks) > 0


def _may_skip(state: State, box: Components) -> bool:
    """After a swap only while the boat can't sail."""
    swapped = isinstance(state.task, Fishing) and state.task.swapped
    return not swapped or not any(True for _ in routes(state, box))


def legal_perform(state: State, box: Components) -> list[Action]:
    """Sail, swap by a privilege, or do without."""
    actions: list[Action] = [Sail(tuple(box.sea.nodes[node] for node in route)) for route in routes(state, box)]
    actions += swaps(state, box)
    if _may_skip(state, box):
        actions.append(Skip())
    return actions


def swaps(state: State, box: Components) -> Iterator[Swap]:
    """Every two dock houses of different colours on different islands."""
    if not may_use_privilege(box, state.acting):
        return
    islands = [
        (name, sorted(set(island.docks))) for name, island in zip(box.sea.islands, state.sea.islands, strict=True)
    ]
    for number, (one, colours) in enumerate(islands):
        for colour in colours:
            for other, colours2 in islands[number + 1 :]:
                for colour2 in colours2:
                    if colour != colour2:
                        yield Swap(one, box.colours[colour], other, box.colours[colour2])


def skip(play: Play, action: Skip) -> None:
    """Do not sail."""
    if not _may_skip(play.state, play.box):
        raise IllegalAction("after a swap the boat must sail if it can")
    skip_work(play, action)


def swap(play: Play, action: Swap) -> None:
    """A privilege to swap two dock houses; the boat need not be able to sail afterwards."""
    box = play.box
    colour, colour2 = play.colour(action.colour), play.colour(action.colour2)
    if action.island not in box.sea.islands or action.island2 not in box.sea.islands:
        raise IllegalAction("dock houses are swapped between two sea islands")
    one, other = box.sea.islands.index(action.island), box.sea.islands.index(action.island2)
    sea = play.state.sea
    if one >= other or colour == colour2:
        raise IllegalAction("two islands, in their order, and two colours")
    if colour not in sea.islands[one].docks or colour2 not in sea.islands[other].docks:
        raise IllegalAction("the island has no dock house of that colour")
    play.spend_privilege()
    for number, gone, come in ((one, colour, colour2), (other, colour2, colour)):
        island = sea.islands[number]
        docks = list(island.docks)
        docks[docks.index(gone)] = come
        sea = with_island(sea, number, replace(island, docks=tuple(sorted(docks))))
    play.change(sea=sea, task=Fishing(swapped=True))
    play.tell(Swapped(play.seat, action.island, action.colour, action.island2, action.colour2))


def sail(play: Play, action: Sail) -> None:
    """Move the boat: on an island fish are caught, in a harbour they are sold."""
    box = play.box
    if any(name not in box.sea.node_of for name in action.route):
        raise IllegalAction("the sea has no such place")
    route = tuple(box.sea.node_of[name] for name in action.route)
    if route not in routes(play.state, box):
        raise IllegalAction("the boat moves along one route, to a harbour or to an island that matches a red colour")
    end = route[-1]
    family = play.family
    play.renew(replace(family, boat=end))
    if not box.sea.is_island(end):
        play.tell(Sailed(play.seat, action.route, 0))
        play.enter(Phase.SELL)
        return
    found = matches(wheel.reds(family.wheel, box), play.state.sea.islands[end].docks)
    play.tell(Sailed(play.seat, action.route, found))
    play.enter(Phase.CATCH, Catching(found, found * box.fish_per_match))
    catch_or_go_on(play)


def crew_size(state: State, box: Components) -> int:
    """The workers that may go ashore: by matches, fewer only if the wheel has none to spare."""
    task = state.task
    assert isinstance(task, Crewing)
    return min(box.crew[task.matches], wheel.spare(state.acting.wheel, box))


def legal_crew(state: State, box: Components) -> list[Action]:
    """Send workers, or not."""
    return [Send(), Skip()] if crew_size(state, box) else [Skip()]


def send(play: Play, _action: Send) -> None:
    """Workers go ashore; every other seat with workers there takes one back."""
    box, family = play.box, play.family
    workers = crew_size(play.state, box)
    if not workers:
        raise IllegalAction("the wheel has no worker to spare")
    sea = play.state.sea
    island = sea.islands[family.boat]
    displaced = tuple(seat for seat, there in enumerate(island.workers) if there and seat != play.seat)
    ashore = tuple(
        there + workers if seat == play.seat else there - (seat in displaced)
        for seat, there in enumerate(island.workers)
    )
    play.change(sea=with_island(sea, family.boat, replace(island, workers=ashore)))
    play.renew(replace(family, wheel=wheel.send(family.wheel, box, workers)))
    wheel.displace(play, displaced)
    name = box.sea.nodes[family.boat]
    play.tell(CrewSent(play.seat, name, workers, displaced, box.displaced_worker_coins))
    resume(play)
