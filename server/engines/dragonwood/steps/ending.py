"""The end of a turn, the end of the game, and its result (Decks, end and score)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dragonwood.actions import Ended
from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import Phase, State
from server.engines.dragonwood.steps.table import Table
from server.engines.engine import Result


def end_turn(table: Table) -> None:
    """Hand the turn on, or end the game after its last turn."""
    state = table.state
    if state.number == state.final_turn:
        end_game(table)
        return
    table.state = replace(
        state,
        number=state.number + 1,
        in_turn=(state.in_turn + 1) % len(state.players),
        phase=Phase.TURN,
        event=None,
    )


def end_game(table: Table) -> None:
    """End the game at once."""
    table.state = replace(table.state, phase=Phase.OVER, event=None)
    table.tell(Ended(_reason(table.components, table.state)))


def dragons_captured(components: Components, state: State) -> bool:
    """Whether the last dragon has been captured, by whichever players."""
    captured = [card for player in state.players for card in player.creatures]
    return all(dragon in captured for dragon in components.dragons)


def points(components: Components, creatures: tuple[int, ...]) -> int:
    """The points on captured creatures."""
    return sum(map(components.points, creatures))


def result(components: Components, state: State) -> Result | None:
    """Scores and ranks once the game is over: by total, then the tie-breaking dragon, then creature cards."""
    if state.phase is not Phase.OVER:
        return None
    scores = tuple(
        points(components, player.creatures) + bonus
        for player, bonus in zip(state.players, _most_creatures(components, state), strict=True)
    )
    standings = [
        (score, components.tie_breaker in player.creatures, len(player.creatures))
        for score, player in zip(scores, state.players, strict=True)
    ]
    ranks = tuple(1 + sum(other > own for other in standings) for own in standings)
    return Result(scores, ranks, _reason(components, state))


def _most_creatures(components: Components, state: State) -> list[int]:
    counts = [len(player.creatures) for player in state.players]
    most = max(counts)
    if not most:
        return [0] * len(counts)
    prize = components.printed.most_creatures
    bonus = prize.alone if counts.count(most) == 1 else prize.tied
    return [bonus if count == most else 0 for count in counts]


def _reason(components: Components, state: State) -> str:
    return "dragons" if dragons_captured(components, state) else "deck"
