"""Close of a round, and the end of the game (RULES.md, Round, 5; End)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.bretagne.actions import Closed, Ended
from server.engines.bretagne.state import Over, State, finished
from server.engines.bretagne.steps.play import Play, Stage
from server.engines.engine import Result

LIGHTHOUSES = "lighthouses"
ROUNDS = "rounds"


def close(play: Play) -> Stage | None:
    """Engineers leave the unfinished lighthouses; idle ones get a coin; the game ends or goes on."""
    state = play.state
    unfinished = [site for site, each in enumerate(state.lighthouses, 1) if not finished(each)]
    idle = tuple(site for site in unfinished if not play.lighthouse(site).engineers)
    engineers = sum(play.lighthouse(site).engineers for site in unfinished)
    for site in unfinished:
        lighthouse = play.lighthouse(site)
        if site in idle:
            play.change_lighthouse(site, coins=lighthouse.coins + play.box.idle_coin)
        else:
            play.change_lighthouse(site, engineers=0)
    if engineers:
        play.supply(engineers=engineers)
    play.tell(Closed(engineers, idle))
    if unfinished and state.round < play.box.rounds:
        return Stage.ROUND
    _end(play, ROUNDS if unfinished else LIGHTHOUSES)
    return None


def _end(play: Play, reason: str) -> None:
    """Points for the next round's order, for workers in harbours and for coins, which stay for the tie."""
    end, players = play.box.end, play.state.players
    order, harbours = [0] * len(players), [0] * len(players)
    for place, seat in enumerate(play.state.passed):
        order[seat] = end.turn_order[place] if place < len(end.turn_order) else 0
    for harbour in play.state.harbours:
        for seat in harbour.workers:
            harbours[seat] += end.harbour_workers[len(harbour.workers)]
    coins = [player.coins // end.coins_per_point for player in players]
    scores = tuple(player.points + sum(parts) for player, *parts in zip(players, order, harbours, coins, strict=True))
    play.change(
        task=Over(reason),
        players=tuple(replace(player, points=score) for player, score in zip(players, scores, strict=True)),
    )
    play.tell(Ended(reason, tuple(order), tuple(harbours), tuple(coins), scores))


def result(state: State) -> Result | None:
    """Scores, and ranks that are never shared: most coins, then the earlier place in the final order (D5)."""
    if not isinstance(state.task, Over):
        return None
    scores = tuple(player.points for player in state.players)

    def merit(seat: int) -> tuple[int, int, int]:
        return -scores[seat], -state.players[seat].coins, state.passed.index(seat)

    best = sorted(range(len(scores)), key=merit)
    return Result(scores, tuple(best.index(seat) + 1 for seat in range(len(scores))), state.task.reason)
