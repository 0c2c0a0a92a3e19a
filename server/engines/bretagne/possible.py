"""Whether a state is one that a game can be in: counts, ranges, and that the present decision fits the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from server.engines.bretagne.box import (
    CITIES,
    CLASSES,
    MATERIALS,
    NOTHING,
    TERMS,
    Stock,
)
from server.engines.bretagne.components import SEATS, Components
from server.engines.bretagne.state import (
    Act,
    AnyTask,
    Barges,
    ChooseBarge,
    Crew,
    EnterHarbour,
    Equip,
    Income,
    Loading,
    Over,
    Player,
    Reward,
    State,
    Status,
    Trading,
    finished,
    plus,
)
from server.engines.bretagne.steps.close import LIGHTHOUSES, ROUNDS


def check(components: Components, state: State) -> None:
    """Raises ValueError with the first thing that can't be."""
    for problem in _problems(components, state):
        raise ValueError(problem)


def _problems(components: Components, state: State) -> Iterator[str]:
    """In this order: later questions rely on the earlier ones."""
    yield from _shape(components, state)
    yield from _ranges(components, state)
    yield from _round(components, state)
    yield from _places(components, state)
    yield from _counts(components, state)
    yield from _coast(components, state)
    yield from _task(components, state)


def _shape(components: Components, state: State) -> Iterator[str]:
    box = components.box
    if len(state.players) not in SEATS:
        yield f"{len(state.players)} seats do not play"
    if len(state.lighthouses) != len(box.sites) or len(state.harbours) != box.harbours_in_play:
        yield "a site or a harbour is missing or too many"
    if len(state.stacks) != len(CLASSES) or len(state.open) != len(CLASSES):
        yield "a class of tiles is missing or too many"
    if any(len(player.cities) != len(CITIES) for player in state.players):
        yield "a city is missing or too many"
    stocks = [player.materials for player in state.players]
    if any(len(s) != len(MATERIALS) for s in (*stocks, state.quimper, state.brest.market, state.supply.materials)):
        yield "a material is missing or too many"


def _numbers(state: State) -> Iterator[int]:
    for player in state.players:
        yield from (player.coins, player.points, player.engineers, player.warehouse, player.reserve)
        yield from (*player.cities, *player.materials)
    for lighthouse in state.lighthouses:
        yield from (lighthouse.engineers, lighthouse.coins)
        yield from (level.workers for level in lighthouse.levels)
    yield from (*state.quimper, *state.supply.materials, *state.brest.market)
    yield from (state.supply.engineers, state.brest.single_engineers, state.brest.engineer_pairs)


def _ranges(components: Components, state: State) -> Iterator[str]:
    box, seats = components.box, range(len(state.players))
    if any(n < 0 for n in _numbers(state)):
        yield "a count is below 0"
    if not 1 <= state.round <= box.rounds or state.number < 1:
        yield "there is no such round or turn"
    yield from _barges(state)
    for lighthouse in state.lighthouses:
        if not 0 <= lighthouse.tile < len(box.lighthouses) or len(lighthouse.levels) > box.levels:
            yield "there is no such lighthouse"
        if any(level.seat not in seats for level in lighthouse.levels):
            yield "a level has no builder"
    for harbour in state.harbours:
        if not 0 <= harbour.tile < len(box.harbours) or not set(harbour.workers) <= set(seats):
            yield "there is no such harbour"
        if len(set(harbour.workers)) != len(harbour.workers):
            yield "a seat has two workers in a harbour"
    if len({harbour.tile for harbour in state.harbours}) != len(state.harbours):
        yield "a harbour tile lies twice"


def _barges(state: State) -> Iterator[str]:
    for player in state.players:
        if player.barge is not None and not 1 <= player.barge <= len(state.players):
            yield "there is no such barge card"
        if any(load and not (0 <= load.material < len(MATERIALS) and load.amount > 0) for load in player.loads):
            yield "there is no such load"


def _round(components: Components, state: State) -> Iterator[str]:
    seats = list(range(len(state.players)))
    if sorted(state.order) != seats:
        yield "the turn order must name every seat once"
    if len(set(state.passed)) != len(state.passed) or not set(state.passed) <= set(seats):
        yield "the next round's order names a seat twice or an unknown one"
    if Counter(state.weather) != Counter(components.box.weather):
        yield "the weather cards are not those of the box"
    if sorted(state.production) != list(range(len(components.box.production))):
        yield "the production cards are not those of the box"


def _places(components: Components, state: State) -> Iterator[str]:
    """Every tile and card has one place; the ids that the later questions look up exist."""
    tiles = [tile for tiles in (*state.stacks, *state.open) for tile in tiles]
    tiles.extend(level.tile for lighthouse in state.lighthouses for level in lighthouse.levels)
    if sorted(tiles) != list(range(len(components.box.tiles))):
        yield "the construction tiles are not those of the box"
    for light_class, stack, opened in zip(CLASSES, state.stacks, state.open, strict=True):
        if not {*stack, *opened} <= set(components.tiles_of[light_class]):
            yield "a construction tile lies in the wrong class"
        if list(opened) != sorted(opened) or len(opened) > components.box.open_tiles:
            yield "too many tiles are open, or not in order"
    cards = [*state.deck, *state.discards]
    for player in state.players:
        cards.extend(player.hand)
    for lighthouse in state.lighthouses:
        cards.extend(lighthouse.cards)
    if sorted(cards) != list(range(len(components.card_kinds))):
        yield "the equipment cards are not those of the box"
    for pile in (state.discards, *(player.hand for player in state.players)):
        if list(pile) != sorted(pile):
            yield "a hand or the discards are not in order"


def _counts(components: Components, state: State) -> Iterator[str]:
    """Conservation of materials, engineers and workers."""
    box = components.box
    if material_count(state) != (box.tokens_per_material,) * len(MATERIALS):
        yield f"the material tokens {material_count(state)} are not those of the box"
    if engineer_count(components, state) != box.engineers:
        yield f"there are {engineer_count(components, state)} engineers, not {box.engineers}"
    for seat in range(len(state.players)):
        if worker_count(state, seat) != box.workers.all:
            yield f"seat {seat} has {worker_count(state, seat)} workers, not {box.workers.all}"


def material_count(state: State) -> Stock:
    """All material tokens, wherever they lie."""
    stocks: Iterable[Stock] = (
        state.supply.materials,
        state.brest.market,
        state.quimper,
        *(player.materials for player in state.players),
    )
    total = list(NOTHING)
    for stock in stocks:
        total = list(plus(tuple(total), stock))
    for player in state.players:
        for load in player.loads:
            if load is not None:
                total[load.material] += load.amount
    return tuple(total)


def engineer_count(components: Components, state: State) -> int:
    """All engineers, wherever they are."""
    brest = state.brest.single_engineers + components.pair * state.brest.engineer_pairs
    elsewhere = (*(each.engineers for each in state.players), *(each.engineers for each in state.lighthouses))
    return state.supply.engineers + brest + sum(elsewhere)


def worker_count(state: State, seat: int) -> int:
    """All workers of a seat, wherever they are."""
    player = state.players[seat]
    levels = (level for lighthouse in state.lighthouses for level in lighthouse.levels)
    on_levels = sum(level.workers for level in levels if level.seat == seat)
    in_harbours = sum(seat in harbour.workers for harbour in state.harbours)
    return player.warehouse + player.reserve + sum(player.cities) + on_levels + in_harbours


def _coast(components: Components, state: State) -> Iterator[str]:
    box = components.box
    tiles = {lighthouse.tile for lighthouse in state.lighthouses}
    standing = box.finished.get(len(state.players), ())
    if len(tiles) != len(state.lighthouses):
        yield "a lighthouse tile lies twice"
    for row, lighthouse in zip(box.sites, state.lighthouses, strict=True):
        if box.lighthouses[lighthouse.tile].light_class is not row.light_class:
            yield f"the lighthouse of site {row.site} is of another class"
        if (lighthouse.status is Status.STANDING) != (row.site in standing):
            yield f"site {row.site} does not stand or stands from the start"
        if finished(lighthouse) and (lighthouse.levels or lighthouse.engineers or lighthouse.coins or lighthouse.cards):
            yield f"site {row.site} is finished, and something lies on it"
        if any(box.tiles[level.tile].light_class is not row.light_class for level in lighthouse.levels):
            yield f"a level of site {row.site} is of another class"
    for region, numbers in components.harbours_of.items():
        built = sum(
            lighthouse.status is Status.BUILT
            for row, lighthouse in zip(box.sites, state.lighthouses, strict=True)
            if row.region is region
        )
        improved = built >= box.flips_region[len(state.players)]
        if any(state.harbours[number].improved != improved for number in numbers):
            yield f"the harbours of the {region} lie on the wrong side"


def _task(components: Components, state: State) -> Iterator[str]:
    """That the decision is one which can be due, and that what it needs is there."""
    task, seats = state.task, range(len(state.players))
    deciding = task.order if isinstance(task, Equip | EnterHarbour) else () if isinstance(task, Over) else (task.seat,)
    if not set(deciding) <= set(seats) or len(set(deciding)) != len(deciding):
        yield "an unknown seat decides"
        return
    yield from _part(state, task, all_passed=len(state.passed) == len(seats))
    yield from _barge_cards(components, state, task)
    match task:
        case Equip() | EnterHarbour():
            yield from _evaluation(components, state, task)
        case Reward() | Crew():
            yield from _new_level(components, state, task)
        case Trading():
            yield from _visit(state, task)
        case Income():
            yield from _income(components, state, task)
        case Over():
            yield from _end(components, state, task)
        case ChooseBarge():
            if state.barges is not Barges.CHOSEN or state.players[task.seat].barge is not None:
                yield "that seat does not choose a barge card"
        case _:
            pass
    yield from _complete(components, state, task)
    if state.barges is Barges.BY_ORDER:
        places = ((state.players[seat].barge, place) for place, seat in enumerate(state.order, 1))
        if any(barge not in (None, place) for barge, place in places):
            yield "a seat has the barge card of another place"


def _income(components: Components, state: State, task: Income) -> Iterator[str]:
    if not 0 <= task.harbour < len(state.harbours) or task.seat not in state.harbours[task.harbour].workers:
        yield "the income of that harbour is not due"
        return
    harbour = state.harbours[task.harbour]
    row = components.box.harbours[harbour.tile]
    most = (row.improved if harbour.improved else row.normal).any_material
    if not 1 <= task.left <= min(most, sum(state.supply.materials)):
        yield "no such income is due"


def _end(components: Components, state: State, task: Over) -> Iterator[str]:
    all_finished = all(map(finished, state.lighthouses))
    if not all_finished and state.round < components.box.rounds:
        yield "the game is over before its end"
    if task.reason != (LIGHTHOUSES if all_finished else ROUNDS):
        yield f"the game did not end for the reason {task.reason}"


def _part(state: State, task: AnyTask, *, all_passed: bool) -> Iterator[str]:
    if isinstance(task, ChooseBarge | Income | Loading) and state.passed:
        yield "seats have passed before the actions"
    if isinstance(task, Act | Reward | Crew | Trading) and task.seat in state.passed:
        yield "the deciding seat has passed"
    if isinstance(task, Equip | EnterHarbour | Over) and not all_passed:
        yield "not all have passed"
    if isinstance(task, Income) and state.round == 1:
        yield "there is no income in the first round"
    if isinstance(task, ChooseBarge | Income) and any(state.quimper):
        yield "Quimper is filled after the income only"
    if not isinstance(task, Loading) and any(player.loads for player in state.players):
        yield "barges are full outside the loading"


def _complete(components: Components, state: State, task: AnyTask) -> Iterator[str]:
    """What is complete waits for its evaluation, and not longer; cards lie where they are played alone."""
    evaluated = task.site if isinstance(task, Equip | EnterHarbour) else None
    due = 0 if isinstance(task, Act | Reward | Crew | Trading) else evaluated or len(state.lighthouses) + 1
    for site, lighthouse in enumerate(state.lighthouses, 1):
        if lighthouse.cards and site != evaluated:
            yield f"cards lie on site {site}, which is not evaluated"
        if len(lighthouse.levels) == components.box.levels and site < due:
            yield f"site {site} has not been evaluated"


def _barge_cards(components: Components, state: State, task: AnyTask) -> Iterator[str]:
    held = [player.barge for player in state.players if player.barge is not None]
    if len(set(held)) != len(held):
        yield "two seats have the same barge card"
    if isinstance(task, Loading):
        yield from _loading(components, state, task)
    for seat, player in enumerate(state.players):
        if isinstance(task, ChooseBarge):
            due = state.order.index(seat) < state.order.index(task.seat)
        else:
            due = seat not in state.passed
        if (player.barge is not None) != due:
            yield f"seat {seat} has a barge card, or has none, at the wrong time"
        if not due and not isinstance(task, ChooseBarge):
            yield from _after_passing(components, seat, player)


def _loading(components: Components, state: State, task: Loading) -> Iterator[str]:
    if not 0 <= task.barge < len(components.box.barges[0].loads):
        yield "there is no such barge"
    by_card = sorted(range(len(state.players)), key=lambda seat: state.players[seat].barge or 0)
    for place, seat in enumerate(by_card):
        full = task.barge + (place < by_card.index(task.seat))
        if len(state.players[seat].loads) != full:
            yield f"seat {seat} has loaded too much or too little"


def _after_passing(components: Components, seat: int, player: Player) -> Iterator[str]:
    if player.engineers or any(player.cities) or max(player.materials) > components.box.warehouse_limit:
        yield f"seat {seat} has passed and kept what it may not"


def _evaluation(components: Components, state: State, task: Equip | EnterHarbour) -> Iterator[str]:
    if not 1 <= task.site <= len(state.lighthouses):
        yield "there is no such site"
        return
    lighthouse = state.lighthouses[task.site - 1]
    if finished(lighthouse) or len(lighthouse.levels) != components.box.levels or not task.order:
        yield "that lighthouse is not evaluated"
    builders = {level.seat for level in lighthouse.levels}
    if not set(task.order) <= builders:
        yield "a seat decides that has built nothing there"
    if isinstance(task, EnterHarbour):
        inside = state.harbours[components.box.sites[task.site - 1].harbour].workers
        manned = {level.seat for level in lighthouse.levels if level.workers}
        if not set(task.order) <= manned - set(inside):
            yield "a seat is asked that can't enter the harbour"


def _new_level(components: Components, state: State, task: Reward | Crew) -> Iterator[str]:
    levels = state.lighthouses[task.site - 1].levels if 1 <= task.site <= len(state.lighthouses) else ()
    if not levels or levels[-1].seat != task.seat or levels[-1].workers:
        yield "there is no level to be manned"
        return
    lighthouse = state.lighthouses[task.site - 1]
    cost = components.costs[lighthouse.tile, len(levels) > 1][levels[-1].tile]
    if task.spent != sum(cost):
        yield "that is not what the level has cost"
    if isinstance(task, Reward):
        reward = components.box.tiles[levels[-1].tile].reward
        if not 1 <= task.left <= min(reward.any_material, sum(state.supply.materials)):
            yield "no such reward is due"


def _visit(state: State, task: Trading) -> Iterator[str]:
    visited = (*task.visited, task.city)
    if len(set(visited)) != len(visited):
        yield "a city is visited twice"
    if any(not state.players[task.seat].cities[CITIES.index(city)] for city in visited):
        yield "no worker stands in the city"
    if len(set(task.made)) != len(task.made) or not set(task.made) <= set(TERMS[task.city]):
        yield "these are not the trades of one visit"
