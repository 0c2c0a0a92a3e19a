"""Roofs: taking them (set-up, season's end), *paint a roof*, its reward and its score."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from server.engines.burano.actions import Done, DrawRoof, Paint, Privilege, ReturnRoof, TakeBuilding
from server.engines.burano.boards import Square
from server.engines.burano.box import Components, Mark, Roof, RoofKind, RoofTile
from server.engines.burano.events import Finished, Painted, RoofDrawn, RoofReturned, RoofScored, StartPlayer
from server.engines.burano.state import (
    FirstRoofs,
    Floor,
    NewRoofs,
    Phase,
    Rewarded,
    RoofEnd,
    RoofStacks,
    State,
    with_item,
)
from server.engines.burano.steps import buildings, wheel
from server.engines.burano.steps.control import islands_controlled, workshops_controlled
from server.engines.burano.steps.island import open_houses, plot_at, roof_sites, with_floors
from server.engines.burano.steps.play import Play, with_privileges
from server.engines.burano.steps.pyramid import cube_privileges
from server.engines.burano.steps.rounds import coin_privileges, next_in_order, resume, start_action
from server.engines.engine import Action, IllegalAction

KINDS = tuple(RoofKind)


def draws(state: State, box: Components) -> Iterator[DrawRoof]:
    """The kinds that the seat may take: not held, the stack not empty (D8), room in the hand."""
    held = {box.roof_tiles[roof].kind for roof in state.acting.roofs}
    if len(held) < box.roofs_in_hand:
        for kind, stack in zip(KINDS, state.roofs.stacks, strict=True):
            if stack and kind not in held:
                yield DrawRoof(kind)


def legal_roofs(state: State, box: Components) -> list[Action]:
    """Set-up: the kinds to take. Season's end: returns before the first draw, and privileges, too."""
    actions: list[Action] = list(draws(state, box))
    if isinstance(state.task, FirstRoofs):
        return actions
    may_be_done = not actions
    if not _drawn(state):
        actions += (ReturnRoof(roof) for roof in state.acting.roofs)
    actions += cube_privileges(state, box)
    actions += coin_privileges(state, box)
    if may_be_done:
        actions.append(Done())
    return actions


def _drawn(state: State) -> bool:
    return isinstance(state.task, NewRoofs) and state.task.drawn


def draw_roof(play: Play, action: DrawRoof) -> None:
    """Turn up the top roof of a kind."""
    if action not in draws(play.state, play.box):
        raise IllegalAction("a roof is drawn of a kind not held, from a stack that is not empty, up to the limit")
    number = KINDS.index(RoofKind(action.kind))
    stack = play.state.roofs.stacks[number]
    roof = stack[-1]
    _restack(play, number, stack[:-1])
    play.renew(replace(play.family, roofs=tuple(sorted((*play.family.roofs, roof)))))
    play.tell(RoofDrawn(play.seat, action.kind, roof), reveals=True)
    if isinstance(play.state.task, NewRoofs):
        _returns(play, closed=True)
    elif len(play.family.roofs) == play.box.roofs_in_hand:
        _first_roofs_taken(play)


def _returns(play: Play, *, closed: bool) -> None:
    if _drawn(play.state) is not closed:
        play.change(task=NewRoofs(drawn=closed))


def _restack(play: Play, number: int, stack: tuple[Roof, ...]) -> None:
    play.change(roofs=RoofStacks(with_item(play.state.roofs.stacks, number, stack)))


def _first_roofs_taken(play: Play) -> None:
    following = next_in_order(play.state)
    if following is None:
        play.change(seat=play.state.start)
        play.enter(Phase.PYRAMID)
    else:
        play.change(seat=following)


def return_roof(play: Play, action: ReturnRoof) -> None:
    """Put a roof back under its stack."""
    if _drawn(play.state):
        raise IllegalAction("roofs go back at season's end only, before the first draw")
    if action.roof not in play.family.roofs:
        raise IllegalAction("only a roof in hand can go back")
    roof = Roof(action.roof)
    number = KINDS.index(play.box.roof_tiles[roof].kind)
    _restack(play, number, (roof, *play.state.roofs.stacks[number]))
    play.renew(replace(play.family, roofs=tuple(held for held in play.family.roofs if held != roof)))
    play.tell(RoofReturned(play.seat, roof))


def done(play: Play, _action: Done) -> None:
    """The next seat's roofs; after the last the start-player marker moves and the pyramids are built."""
    if any(draws(play.state, play.box)):
        raise IllegalAction("roofs are drawn until the hand is full or no kind can be drawn")
    play.tell(Finished(play.seat, Phase.ROOFS))
    following = next_in_order(play.state)
    if following is not None:
        play.change(seat=following)
        _returns(play, closed=False)
        return
    start = (play.state.start + 1) % len(play.state.families)
    play.change(start=start, seat=start)
    play.tell(StartPlayer(start))
    play.enter(Phase.PYRAMID)


def paints(state: State, box: Components) -> Iterator[Paint]:
    """Every own roof, either way round, over two open houses side by side on one level."""
    family = state.acting
    if not family.roofs:
        return
    houses = open_houses(state.island, box)
    width = box.island.width
    loose = buildings.scaffolded(box, family)
    for roof in family.roofs:
        first, second = box.roof_tiles[roof].ends
        for one, other in roof_sites(state.island, box):
            if (houses[one][1] == first or first in loose) and (houses[other][1] == second or second in loose):
                yield Paint(roof, one % width, one // width, other % width, other // width)


def paint(play: Play, action: Paint) -> None:
    """Lay a roof: the painters count at once, then comes the reward."""
    box = play.box
    if action.roof not in play.family.roofs:
        raise IllegalAction("only a roof in hand can be painted")
    tile = box.roof_tiles[action.roof]
    level, squares = _fitting(play, action, tile)
    coins = start_action(play)
    roof = Roof(action.roof)
    changed = {}
    for end, square in zip((0, 1), squares, strict=True):
        floors = plot_at(play.state.island, square).floors
        top = Floor(floors[-1].house, RoofEnd(roof, 0 if end == 0 else 1, play.seat))
        changed[square] = (*floors[:-1], top)
    play.change(island=with_floors(play.state.island, changed))
    bonus = buildings.painter_bonus(box, play.family, tile)
    family = play.family
    held = tuple(other for other in family.roofs if other != roof)
    play.renew(replace(family, roofs=held, points=family.points + bonus))
    play.tell(Painted(play.seat, roof, action.x, action.y, action.x2, action.y2, level, coins, bonus))
    play.enter(Phase.REWARD, Rewarded(roof))


def _fitting(play: Play, action: Paint, tile: RoofTile) -> tuple[int, tuple[Square, Square]]:
    """The level and the squares of the two ends, if the roof fits there."""
    box = play.box
    one, other = box.island.square_at(action.x, action.y), box.island.square_at(action.x2, action.y2)
    houses = open_houses(play.state.island, box)
    if one is None or other is None or one not in houses or other not in houses:
        raise IllegalAction("a roof lies on two houses with nothing on them, not above the highest roof level")
    if (one, other) not in roof_sites(play.state.island, box):
        raise IllegalAction("a roof lies on two houses side by side on the same level")
    loose = buildings.scaffolded(box, play.family)
    for end, square in zip(tile.ends, (one, other), strict=True):
        if houses[square][1] != end and end not in loose:
            raise IllegalAction("the houses must have the colours of the roof's ends")
    return houses[one][0], (one, other)


def legal_reward(state: State, _box: Components) -> list[Action]:
    """Privileges, or one of the open building cards."""
    return [Privilege(), *buildings.takeable(state)]


def take_privileges(play: Play, _action: Privilege) -> None:
    """Privileges for the painted roof, then its score."""
    before = play.family.privileges
    play.renew(with_privileges(play.box, play.family, play.box.score.roof_privilege))
    _score(play, play.family.privileges - before, None, None)


def take_building(play: Play, action: TakeBuilding) -> None:
    """A building card for the painted roof, then its score (the card counts in it)."""
    turned_up = buildings.take_building(play, action.card)
    _score(play, 0, action.card, turned_up)


def _score(play: Play, privileges: int, card: int | None, turned_up: int | None) -> None:
    task = play.state.task
    assert isinstance(task, Rewarded)
    count, points = worth(play.state, play.box, play.seat, play.box.roof_tiles[task.roof].kind)
    play.renew(replace(play.family, points=play.family.points + points))
    play.tell(
        RoofScored(play.seat, task.roof, privileges, card, turned_up, count, points), reveals=turned_up is not None
    )
    resume(play)


def worth(state: State, box: Components, seat: int, kind: RoofKind) -> tuple[int | None, int]:
    """What a roof of this kind counts for the seat now, and its points."""
    score = box.score
    match kind:
        case RoofKind.ISLANDS:
            return _by_table(islands_controlled(state, box, seat), score.roof_islands)
        case RoofKind.WORKSHOPS:
            return _by_table(workshops_controlled(state, box, seat), score.roof_workshops)
        case RoofKind.WHEEL:
            return _by_table(wheel.marks(state.families[seat].wheel, box, Mark.FOUNTAIN), score.roof_wheel)
        case RoofKind.FIXED:
            return None, score.roof_fixed


def _by_table(count: int, table: tuple[int, ...]) -> tuple[int, int]:
    return count, table[min(count, len(table) - 1)]
