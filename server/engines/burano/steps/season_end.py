"""Season's end in its order: sea islands, lace, then unless it was winter the next season; after winter the end.

The seats' own decisions stand in `lace_scoring.py` and `roofs.py`; here is what happens between them.
"""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.burano.box import Components
from server.engines.burano.events import Ended, FinalScore, IslandsScored, SeasonBegun
from server.engines.burano.state import Cubes, Family, Markers, NewRoofs, Phase, State, Work
from server.engines.burano.steps import buildings, pyramid, wheel
from server.engines.burano.steps.control import leaders
from server.engines.burano.steps.play import Play, cubes_by_name
from server.engines.burano.steps.rounds import in_turn_order, next_in_order
from server.engines.dice import Dice
from server.engines.engine import Result

REASON = "winter"


def score_islands(play: Play) -> None:
    """C1: most workers on a sea island score; tied seats share, rounded down."""
    state, box = play.state, play.box
    scored = []
    for name, island in zip(box.sea.islands, state.sea.islands, strict=True):
        ahead = leaders(state, box, island)
        if ahead:
            points = box.score.islands_at_season_end[len(state.families)] // len(ahead)
            scored.append((name, ahead, points))
            for seat in ahead:
                family = play.state.families[seat]
                play.renew(replace(family, points=family.points + points), seat)
    play.tell(IslandsScored(state.season, tuple(scored)))


def after_lace(play: Play) -> None:
    """C2 goes on with the next seat; after the last comes a new season or the end."""
    following = next_in_order(play.state)
    if following is not None:
        play.change(seat=following)
    elif play.state.season + 1 == len(play.box.rounds):
        _end(play)
    else:
        _new_season(play)


def deal_markers(box: Components, dice: Dice) -> Markers:
    """The colour markers, shuffled: the first of them fish, the next lace, the last earn."""
    works = tuple(Work)
    each = len(box.colours) // len(works)
    dealt = dice.shuffle(range(len(box.colours)))
    return Markers(tuple(works[dealt.index(colour) // each] for colour in range(len(box.colours))))


def _new_season(play: Play) -> None:
    """C3 and C4: markers, cubes of the covered sectors in turn order, the old pyramids; then C5, the roofs."""
    seats = len(play.state.families)
    play.change(season=play.state.season + 1, round=0, markers=deal_markers(play.box, play.dice))
    drawn: list[dict[str, int]] = [{}] * seats
    brought_down: list[dict[str, int]] = [{}] * seats
    for seat in in_turn_order(play.state):
        drawn[seat], brought_down[seat] = _bring_cubes(play, seat)
    works = zip(play.box.colours, play.state.markers.works, strict=True)
    play.tell(
        SeasonBegun(play.state.season, {name: str(work) for name, work in works}, tuple(drawn), tuple(brought_down)),
        reveals=True,
    )
    play.change(seat=play.state.start)
    play.enter(Phase.ROOFS, NewRoofs(drawn=False))


def _bring_cubes(play: Play, seat: int) -> tuple[dict[str, int], dict[str, int]]:
    box, family = play.box, play.state.families[seat]
    supply, drawn = list(play.state.supply.counts), [0] * len(box.colours)
    for sector in wheel.covered(family.wheel, box):
        if supply[sector.colour]:
            supply[sector.colour] -= 1
            drawn[sector.colour] += 1
    down = [family.pyramid.cubes.count(colour) for colour in box.colour_of.values()]
    stock = family.stock.with_all(drawn).with_all(down)
    play.renew(replace(family, stock=stock, pyramid=pyramid.empty(box)), seat)
    play.change(supply=Cubes(tuple(supply)))
    return cubes_by_name(box, tuple(drawn)), cubes_by_name(box, tuple(down))


def _end(play: Play) -> None:
    """After winter: privileges become coins, coins, unsold fish and building cards score."""
    box = play.box
    final = tuple(_final(box, play.state, seat) for seat in range(len(play.state.families)))
    for seat, score in enumerate(final):
        family = play.state.families[seat]
        points = family.points + score.coins + score.fish + score.buildings
        coins = family.coins + score.privileges
        play.renew(replace(family, points=points, coins=coins, privileges=0), seat)
    play.tell(Ended(final, tuple(family.points for family in play.state.families)))
    play.enter(Phase.OVER)


def _final(box: Components, state: State, seat: int) -> FinalScore:
    family = state.families[seat]
    return FinalScore(
        privileges=family.privileges,
        coins=(family.coins + family.privileges) // box.score.coins_per_point,
        fish=family.fish.total * box.score.unsold_fish,
        buildings=buildings.final_points(box, state, seat),
    )


def result(state: State) -> Result:
    """Points; ties by ready cubes, then by coins (all of them, D13), then shared."""
    standings = [_standing(family) for family in state.families]
    ranks = tuple(1 + sum(other > standing for other in standings) for standing in standings)
    return Result(tuple(family.points for family in state.families), ranks, REASON)


def _standing(family: Family) -> tuple[int, int, int]:
    return family.points, family.ready.total, family.coins
