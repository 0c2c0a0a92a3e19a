"""What a possible state of Islet is: `read` refuses all others, saying what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

import msgspec

from server.engines.islet.components import KINDS, MOST_SEATS, NONE, Components, Counts
from server.engines.islet.grid import Cell, neighbours
from server.engines.islet.state import Board, Phase, Player, Reason, State
from server.engines.islet.steps import eggs
from server.engines.islet.steps.payment import plus
from server.engines.islet.steps.scoring import cards_turned
from server.engines.islet.steps.walking import Walker, can_stop

MOVING = (Phase.MOVE, Phase.GUARD, Phase.UNGUARD)


def read(components: Components, data: Mapping[str, object]) -> State:
    """The state in this data.

    Raises:
        ValueError: it is not of the right form, or not possible.
    """
    try:
        state = msgspec.convert(data, State)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
    for fault in faults(components, state):
        raise ValueError(fault)
    return state


def faults(components: Components, state: State) -> Iterator[str]:
    """What makes the state impossible; later checks rely on earlier ones, so only the first is sure to be true."""
    yield from _numbers(state)
    yield from _tiles(components, state)
    yield from _island(components, state)
    yield from _resources(components, state)
    yield from _eggs(components, state)
    yield from _birds(state)
    yield from _hands(components, state)
    yield from _phase(components, state)
    yield from _solo(components, state) if state.solo else _rounds(components, state)


def _numbers(state: State) -> Iterator[str]:
    if not 1 <= len(state.players) <= MOST_SEATS:
        yield "players: 1 to 4 seats"
    if state.number < 1 or state.idle < 0:
        yield "number, idle: turns count from 1, idle rounds from 0"
    if (state.solo is None) == (len(state.players) == 1):
        yield "solo: one seat, and only one, plays with the day-and-night cards"


def _tiles(components: Components, state: State) -> Iterator[str]:
    found = [tile for stack in state.board.stacks for tile in stack.tiles]
    found += [tile for player in state.players for tile in player.hand]
    found += [*state.bag, *(state.solo.lost if state.solo else ())]
    if sorted(found) != list(range(len(components.tile_kinds))):
        yield "tiles: each is in one place"


def _island(components: Components, state: State) -> Iterator[str]:
    board = state.board
    if not all(one.cell < other.cell for one, other in pairwise(board.stacks)):
        yield "board: stacks ascend by (x, y)"
    if not all(stack.tiles for stack in board.stacks):
        yield "board: a stack has a tile"
    if state.solo is None and not _in_one_piece(board):
        yield "board: the island is in one piece"
    reach = len(components.tile_kinds) + max(abs(number) for cell in components.start for number in cell)
    if any(abs(number) > reach for stack in board.stacks for number in stack.cell):
        yield "board: a stack lies further out than all tiles reach"


def _in_one_piece(board: Board) -> bool:
    ahead = [board.stacks[0].cell] if board.stacks else []
    reached: set[Cell] = set(ahead)
    while ahead:
        found = [cell for cell in neighbours(ahead.pop()) if cell in board.at and cell not in reached]
        reached.update(found)
        ahead.extend(found)
    return bool(reached) and len(reached) == len(board.stacks)


def _resources(components: Components, state: State) -> Iterator[str]:
    everywhere: list[Counts] = [state.piles]
    for player in state.players:
        everywhere += [player.cards, player.guarded, player.used]
    if any(len(counts) != len(KINDS) or min(counts) < 0 for counts in everywhere):
        yield "resources: six counts from 0"
        return
    total = NONE
    for counts in everywhere:
        total = plus(total, counts)
    if total != components.pile_sizes:
        yield "resources: every card is in a pile or with one seat"
    for player in state.players:
        if max(plus(player.guarded, player.used)) > components.guarded_per_kind:
            yield "guarded: more of a kind than allowed"
    for seat, player in enumerate(state.players):
        if player.used != NONE and (seat != state.seat or state.phase not in MOVING):
            yield "used: flat eggs stand up at the end of a turn"


def _eggs(components: Components, state: State) -> Iterator[str]:
    laid = Counter(stack.egg for stack in state.board.stacks if stack.egg is not None)
    if not all(0 <= seat < len(state.players) for seat in laid):
        yield "egg: of a seat that is not there"
    for seat, player in enumerate(state.players):
        if player.eggs < 0 or player.eggs + player.guards + laid[seat] != components.eggs_of(len(state.players)):
            yield "eggs: each is available, on a resource or on the island"


def _birds(state: State) -> Iterator[str]:
    birds = [player.bird for player in state.players if player.bird is not None]
    if not all(bird in state.board.at for bird in birds):
        yield "bird: stands on a tile"
    others = state.others()
    if len(set(others)) < len(others) or (state.phase is not Phase.MOVE and len(set(birds)) < len(birds)):
        yield "bird: a turn doesn't end on another bird's tile"


def _hands(components: Components, state: State) -> Iterator[str]:
    for seat, player in enumerate(state.players):
        out = len(state.trail) if state.phase is Phase.EXPLORE and seat == state.seat else 0
        if list(player.hand) != sorted(player.hand) or len(player.hand) + out > components.hand:
            yield "hand: ids ascend, no more than may be held"
        if state.bag and len(player.hand) + out < components.hand:
            yield "hand: is drawn up while the bag has tiles"
        over = sum(player.cards) > components.unguarded_limit
        if over != (state.phase is Phase.RETURN and seat == state.seat):
            yield "cards: more unguarded ones than the limit, or a return without"


def _phase(components: Components, state: State) -> Iterator[str]:
    if (state.paid is not None) != (state.phase is Phase.UNGUARD):
        yield "paid: only while a guarded resource is chosen to give up its egg"
    match state.phase:
        case Phase.EXPLORE:
            yield from _explore(components, state)
        case Phase.MOVE:
            yield from _move(components, state)
        case Phase.GUARD | Phase.UNGUARD:
            yield from _egg_choice(components, state, state.player)
        case _:
            if state.trail:
                yield "trail: only within an explore or a move"


def _explore(components: Components, state: State) -> Iterator[str]:
    trail, at = state.trail, state.board.at
    if not 1 <= len(trail) <= components.lay_at_most or not all(cell in at for cell in trail):
        yield "trail: the cells of one to four tiles laid"
        return
    if at[trail[0]].level != 1 or not all(
        after in neighbours(before) and at[after].level > at[before].level for before, after in pairwise(trail)
    ):
        yield "trail: from the ocean on, each tile next to the one before and higher"
    if any(at[cell].egg is not None or any(player.bird == cell for player in state.players) for cell in trail):
        yield "trail: no tile is laid on a bird or an egg"


def _move(components: Components, state: State) -> Iterator[str]:
    bird, trail, at = state.player.bird, state.trail, state.board.at
    if bird is None or not trail or trail[-1] != bird or not all(cell in at for cell in trail):
        yield "trail: ends on the tile under the bird"
        return
    terrains = {components.tile_kinds[at[cell].top].terrain for cell in trail}
    if len(terrains) > 1 or len(set(trail)) < len(trail):
        yield "trail: different tiles of one terrain (D8)"
    if not all(after in neighbours(before) for before, after in pairwise(trail)):
        yield "trail: each tile next to the one before"
    if not can_stop(state) and not any(True for _ in Walker.of(state).choices(components)):
        yield "bird: stuck on another bird's tile (D3)"


def _egg_choice(components: Components, state: State, player: Player) -> Iterator[str]:
    if player.bird is None or state.trail != (player.bird,):
        yield "trail: an egg is laid where the bird stands"
        return
    stack = state.board.at[player.bird]
    if state.phase is Phase.GUARD:
        if stack.egg != state.seat or player.eggs < 1 or not eggs.guardable(components, state):
            yield "guard: an egg just laid, another one available, and a card to guard"
    elif stack.egg is not None or player.eggs or not player.guards:
        yield "unguard: no egg on the tile, none available, one on a resource"
    elif state.paid is not None:
        yield from _paid(components, state, components.tile_kinds[stack.top].nest)


def _paid(components: Components, state: State, nest: int) -> Iterator[str]:
    assert state.paid is not None
    cards, guarded = state.paid.cards, state.paid.guarded
    if any(len(counts) != len(KINDS) or min(counts) < 0 for counts in (cards, guarded)):
        yield "paid: six counts from 0"
    elif plus(cards, guarded) not in {recipe.spend for recipe in components.prices[nest].recipes}:
        yield "paid: exactly the price of an egg"
    elif any(flat > used for flat, used in zip(guarded, state.player.used, strict=True)):
        yield "paid: what was guarded is used now"


def _rounds(components: Components, state: State) -> Iterator[str]:
    """The end of a game of several seats, as far as it is known."""
    ending, over = state.ending, state.phase is Phase.OVER
    if state.idle > components.idle_rounds or (state.idle == components.idle_rounds and not over):
        yield "idle: the game would have ended"
    if state.idle > state.round or (state.phase is Phase.EXPLORE and not state.busy):
        yield "idle, busy: a round with a tile laid isn't idle"
    if over and (ending is None or ending.round != state.round or state.seat != len(state.players) - 1 or state.busy):
        yield "phase: a game is over after its last round"
    done = any(not player.eggs and not player.guards for player in state.players)
    if done != (ending is not None and ending.reason is Reason.EGGS):
        yield "ending: `eggs` when a seat's last egg lies on the island"
    if ending is None:
        if not state.bag:
            yield "ending: the bag is empty"
    elif not state.round <= ending.round <= state.round + (ending.reason is Reason.BAG):
        yield "ending: this round, or with an empty bag the next"
    elif ending.reason is Reason.BAG and state.bag:
        yield "ending: `bag` when the bag is empty"
    elif ending.reason is Reason.IDLE and not (over and state.idle == components.idle_rounds):
        yield "ending: `idle` after so many idle rounds"


def _solo(components: Components, state: State) -> Iterator[str]:
    assert state.solo is not None
    solo, deck = components.solo, state.solo.deck
    if state.ending is not None or state.idle or state.busy:
        yield "ending, idle, busy: rounds don't end a solo game"
    if not 1 <= state.solo.passing <= solo.passes or len(set(deck)) < len(deck):
        yield "solo: a pass of the game, each card once"
    elif not all(0 <= card < solo.cards for card in deck):
        yield "solo: a card that is not in the deck"
    turned = cards_turned(components, state.solo)
    laid_all = not state.player.eggs and not state.player.guards
    last = turned == solo.passes * solo.cards
    if state.phase is not Phase.OVER:
        if laid_all or not deck or turned != state.number - 1:
            yield "solo: a card is turned after every turn, and the last card or egg ends the game"
    elif not (last and turned == state.number) and not (laid_all and deck and turned == state.number - 1):
        yield "solo: only the last card or egg ends the game"
