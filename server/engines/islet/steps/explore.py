"""Explore: lay 1 to 4 tiles, gain resources, draw, and return what is too much (RULES.md, "Explore")."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.engine import Action, Event, IllegalAction
from server.engines.islet.actions import (
    DrawnTile,
    LayTile,
    ResourceGained,
    Return,
    Returned,
    Stop,
    TileLaid,
    TilesDrawn,
)
from server.engines.islet.components import KIND_OF, KINDS, Components
from server.engines.islet.grid import Cell, neighbours
from server.engines.islet.state import Ending, Phase, Reason, Stack, State
from server.engines.islet.steps import Outcome, require
from server.engines.islet.steps.payment import changed
from server.engines.islet.steps.turns import end_turn, foresee


def first_tiles(state: State) -> list[Action]:
    """Every first tile: on an empty cell adjacent to the island."""
    return [LayTile(tile, x, y) for tile in state.player.hand for x, y in state.board.shallows]


def legal(components: Components, state: State) -> list[Action]:
    """Every further tile, and stopping."""
    if len(state.trail) >= components.lay_at_most:
        return [Stop()]
    cells = [cell for cell in neighbours(state.trail[-1]) if _obstacle(state, cell) is None]
    return [*(LayTile(tile, *cell) for tile in state.player.hand for cell in cells), Stop()]


def _obstacle(state: State, cell: Cell) -> str | None:
    """The rule that keeps a further tile off a cell; None where one can be laid."""
    stack = state.board.at.get(cell)
    before = state.trail[-1]
    if cell not in neighbours(before):
        return "Each further tile goes next to the cell of the tile laid just before."
    if stack is None:
        return "Only the first tile of an explore goes on the ocean."
    if stack.egg is not None or any(player.bird == cell for player in state.players):
        return "No tile is laid on a bird or an egg."
    if stack.level < state.board.at[before].level:
        return "Each further tile must end at a higher level than the one laid just before."
    return None


def lay_tile(components: Components, state: State, action: LayTile, _: Dice) -> Outcome:
    """Lay a tile of the hand: the first on the ocean, each further one higher than the one before."""
    cell = (action.x, action.y)
    player = state.player
    require(len(state.trail) < components.lay_at_most, f"An explore lays at most {components.lay_at_most} tiles.")
    require(action.tile in player.hand, "This tile is not in your hand.")
    if state.phase is Phase.TURN:
        require(cell in state.board.shallows, "The first tile goes on an empty cell next to the island.")
    elif rule := _obstacle(state, cell):
        raise IllegalAction(rule)
    under = state.board.at.get(cell)
    stack = Stack(*cell, (*(under.tiles if under else ()), action.tile), None)
    hand = tuple(tile for tile in player.hand if tile != action.tile)
    after = replace(
        state,
        phase=Phase.EXPLORE,
        players=state.with_player(replace(player, hand=hand)),
        board=state.board.with_stack(stack),
        trail=(*state.trail, cell),
        busy=state.solo is None,
    )
    terrain, nest = components.tile_kinds[action.tile]
    return after, [Event(TileLaid(state.seat, *cell, KINDS[terrain], KINDS[nest], stack.level))]


def stop(components: Components, state: State, _: Stop, dice: Dice) -> Outcome:
    """End the explore: a resource for each tile, then draw; then return cards, or end the turn."""
    state, gained = _gain(components, state)
    state, drawn = _draw(components, state)
    state = replace(state, trail=())
    state, more = return_or_end(components, state, dice)
    return state, gained + drawn + more


def _gain(components: Components, state: State) -> Outcome:
    cards, piles = state.player.cards, state.piles
    events = []
    for cell in state.trail:
        kind = gain_of(components, state.board.at[cell])
        if piles[kind] > 0:
            cards, piles = changed(cards, kind, 1), changed(piles, kind, -1)
            events.append(Event(ResourceGained(state.seat, KINDS[kind], *cell)))
    return replace(state, players=state.with_player(replace(state.player, cards=cards)), piles=piles), events


def gain_of(components: Components, stack: Stack) -> int:
    """The kind that the tile on top brings: its terrain, or the nest of the pair that it makes with the one below."""
    over = components.tile_kinds[stack.top].terrain
    under = components.tile_kinds[stack.tiles[-2]].terrain if stack.level > 1 else over
    return components.gains[under][over]


def _draw(components: Components, state: State) -> Outcome:
    """Draw until the hand is full or the bag empty. Drawing nothing tells nothing (D13)."""
    player = state.player
    count = min(components.hand - len(player.hand), len(state.bag))
    if count == 0:
        return state, []
    bag, drawn = state.bag[:-count], tuple(sorted(state.bag[-count:]))
    hand = tuple(sorted((*player.hand, *drawn)))
    after = replace(state, players=state.with_player(replace(player, hand=hand)), bag=bag)
    tiles = tuple(DrawnTile(tile, *(KINDS[kind] for kind in components.tile_kinds[tile])) for tile in drawn)
    own = TilesDrawn(state.seat, count, tiles)
    events = [Event(TilesDrawn(state.seat, count), ((state.seat, own),), reveals=True)]
    if bag:
        return after, events
    after, more = foresee(after, Ending(after.round + 1, Reason.BAG))
    return after, events + more


def returns(state: State) -> list[Action]:
    """Every card that can go back."""
    return [Return(kind) for kind, count in zip(KINDS, state.player.cards, strict=True) if count]


def return_card(components: Components, state: State, action: Return, dice: Dice) -> Outcome:
    """Return one unguarded card over the limit."""
    kind = KIND_OF[action.resource]
    player = state.player
    require(player.cards[kind] > 0, f"You have no unguarded {action.resource} card.")
    state = replace(
        state,
        players=state.with_player(replace(player, cards=changed(player.cards, kind, -1))),
        piles=changed(state.piles, kind, 1),
    )
    event = Event(Returned(state.seat, action.resource))
    state, more = return_or_end(components, state, dice)
    return state, [event, *more]


def return_or_end(components: Components, state: State, dice: Dice) -> Outcome:
    """With too many unguarded cards one has to go back; else the turn is over."""
    if sum(state.player.cards) > components.unguarded_limit:
        return replace(state, phase=Phase.RETURN), []
    return end_turn(components, state, dice)
