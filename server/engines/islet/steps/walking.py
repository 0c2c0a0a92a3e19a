"""Walk (RULES.md, "Move"): to an adjacent tile, free or paid, never for ever (D8), never to be stuck (D3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.engine import Action, Event
from server.engines.islet.actions import Stop, Walk, Walked, pay_of, payment_of
from server.engines.islet.components import Components
from server.engines.islet.grid import Cell, neighbours
from server.engines.islet.state import FREE, Board, Payment, Phase, Player, State
from server.engines.islet.steps import Outcome, require
from server.engines.islet.steps.payment import Purse, less, plus, ways
from server.engines.islet.steps.turns import end_turn

FOR_FREE = (FREE,)

Position: TypeAlias = tuple[Cell | None, tuple[Cell, ...], Purse]


class Walker(NamedTuple):
    """A bird in the middle of a move, as far as its next walks go. `trail`: the tiles that D8 bars."""

    board: Board
    others: tuple[Cell, ...]
    bird: Cell | None
    trail: tuple[Cell, ...]
    purse: Purse

    @classmethod
    def of(cls, state: State) -> Walker:
        """The bird whose turn it is. Before the first payment the tile where the move began is barred too (D8)."""
        bird = state.player.bird
        trail = state.trail or ((bird,) if bird is not None else ())
        return cls(state.board, state.others(), bird, trail, Purse.of(state))

    @property
    def position(self) -> Position:
        """What changes while it walks: where walks can lead from here on depends on this alone."""
        return self.bird, self.trail, self.purse

    def within_reach(self) -> tuple[Cell, ...]:
        """The tiles that a walk can lead to by the grid alone, ascending."""
        if self.bird is None:
            return self.board.coast
        return tuple(cell for cell in neighbours(self.bird) if cell in self.board.at)

    def payments(self, components: Components, terrain: int) -> tuple[Payment, ...]:
        """Every way to pay for a walk onto a terrain; on the same one it is free, from the ocean never (D2)."""
        if self.bird is not None and terrain == _terrain(components, self.board, self.bird):
            return FOR_FREE
        return ways(components, self.purse, terrain)

    def after(self, cell: Cell, payment: Payment) -> Walker:
        """The bird after that walk; a payment opens the tiles walked so far again."""
        trail = (*self.trail, cell) if payment == FREE else (cell,)
        return self._replace(bird=cell, trail=trail, purse=self.purse.without(payment))

    def choices(self, components: Components) -> Iterator[tuple[Cell, Payment]]:
        """Every walk that is allowed, by cell, then by payment."""
        dead_ends: set[Position] = set()
        for cell, payment in self._walks(components):
            if self.can_walk(components, cell, payment, dead_ends):
                yield cell, payment

    def can_walk(self, components: Components, cell: Cell, payment: Payment, dead_ends: set[Position]) -> bool:
        """Whether a walk does not leave the bird stuck: a tile with another bird must be left this turn (D3)."""
        return cell not in self.others or self.after(cell, payment).gets_off(components, dead_ends)

    def gets_off(self, components: Components, dead_ends: set[Position]) -> bool:
        """Whether some row of walks leads to a tile without another bird; adds to `dead_ends` what does not."""
        seen, ahead = {self.position}, [self]
        while ahead:
            here = ahead.pop()
            for cell, payment in here._walks(components):
                if cell not in self.others:
                    return True
                after = here.after(cell, payment)
                if after.position not in seen and after.position not in dead_ends:
                    seen.add(after.position)
                    ahead.append(after)
        dead_ends |= seen
        return False

    def _walks(self, components: Components) -> Iterator[tuple[Cell, Payment]]:
        """Every walk but for D3."""
        known: dict[int, tuple[Payment, ...]] = {}  # what a terrain costs, not once for each tile of a long coast
        for cell in self.within_reach():
            if cell not in self.trail:
                terrain = _terrain(components, self.board, cell)
                if terrain not in known:
                    known[terrain] = self.payments(components, terrain)
                for payment in known[terrain]:
                    yield cell, payment


def _terrain(components: Components, board: Board, cell: Cell) -> int:
    return components.tile_kinds[board.at[cell].top].terrain


def walks(components: Components, state: State) -> list[Action]:
    """Every walk of the seat whose turn it is."""
    return [Walk(*cell, pay_of(payment)) for cell, payment in Walker.of(state).choices(components)]


def walk(components: Components, state: State, action: Walk, _: Dice) -> Outcome:
    """Walk to a tile and pay for it."""
    cell, payment = (action.x, action.y), payment_of(action.pay)
    walker = Walker.of(state)
    _check(components, walker, cell, payment)
    after = walker.after(cell, payment)
    state = replace(
        state,
        phase=Phase.MOVE,
        players=state.with_player(replace(spent(state.player, payment), bird=cell)),
        piles=after.purse.piles,
        trail=after.trail,
    )
    return state, [Event(Walked(state.seat, *cell, action.pay))]


def _check(components: Components, walker: Walker, cell: Cell, payment: Payment) -> None:
    require(cell in walker.board.at, "A bird walks on tiles only.")
    if walker.bird is None:
        require(cell in walker.board.coast, "From the ocean a bird goes ashore on a coast tile.")
    else:
        require(cell in neighbours(walker.bird), "A bird walks to an adjacent tile.")
    require(cell not in walker.trail, "A bird doesn't walk back onto a tile that it stood on since its last payment.")
    allowed = walker.payments(components, _terrain(components, walker.board, cell))
    if allowed is FOR_FREE:
        require(payment == FREE, "A walk on the same terrain is free.")
    require(payment in allowed, "This doesn't pay exactly for a walk onto that terrain with what you have.")
    require(
        walker.can_walk(components, cell, payment, set()),
        "Another bird is there, and after this walk yours could not leave that tile this turn.",
    )


def spent(player: Player, payment: Payment) -> Player:
    """The player after a payment: guarded resources stay, used until the end of the turn."""
    return replace(
        player,
        cards=less(player.cards, payment.cards),
        guarded=less(player.guarded, payment.guarded),
        used=plus(player.used, payment.guarded),
    )


def can_stop(state: State) -> bool:
    """A move does not end on a tile with another bird."""
    return state.player.bird not in state.others()


def stop(components: Components, state: State, _: Stop, dice: Dice) -> Outcome:
    """End the move."""
    require(can_stop(state), "A move doesn't end on a tile with another bird.")
    return end_turn(components, state, dice)
