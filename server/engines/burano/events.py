"""Every event of Burano: one for an action, with what it paid and scored, and those of what follows by itself.

Colours, fish and nodes have the names of the box. `coins` of an action is what it brought, or cost where negative.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from server.engines.engine import EventBody


class RoofDrawn(EventBody, frozen=True, tag="roof_drawn"):
    seat: int
    roof_kind: str
    roof: int


class RoofReturned(EventBody, frozen=True, tag="roof_returned"):
    seat: int
    roof: int


class Stacked(EventBody, frozen=True, tag="stacked"):
    """`returned` and `coins` for left-over cubes, with the pyramid's last cube."""

    seat: int
    colour: str
    layer: int
    row: int
    column: int
    returned: dict[str, int]
    coins: int


class RoundsBegun(EventBody, frozen=True, tag="rounds_begun"):
    """All pyramids stand."""

    season: int
    seat: int


class Taken(EventBody, frozen=True, tag="taken"):
    """`coins`: what the action paid (or cost, where negative)."""

    seat: int
    colour: str
    layer: int
    row: int
    column: int
    coins: int


class Built(EventBody, frozen=True, tag="built"):
    seat: int
    colour: str
    x: int
    y: int
    level: int
    coins: int
    privileges: int
    work: str


class Painted(EventBody, frozen=True, tag="painted"):
    """`bonus`: points of the painter's cards."""

    seat: int
    roof: int
    x: int
    y: int
    x2: int
    y2: int
    level: int
    coins: int
    bonus: int


class RoofScored(EventBody, frozen=True, tag="roof_scored"):
    """The reward, and the roof's score: `count` islands, colours or fountains (null for the fixed kind)."""

    seat: int
    roof: int
    privileges: int
    card: int | None
    turned_up: int | None
    count: int | None
    points: int


class CoinGained(EventBody, frozen=True, tag="coin_gained"):
    seat: int
    coins: int


class CubeGained(EventBody, frozen=True, tag="cube_gained"):
    """`place`: layer, row, column of the pyramid, or null for the stock."""

    seat: int
    colour: str
    place: tuple[int, int, int] | None


class TurnEnded(EventBody, frozen=True, tag="turn_ended"):
    """Also of a turn that ends by itself."""

    seat: int


class Sailed(EventBody, frozen=True, tag="sailed"):
    seat: int
    route: tuple[str, ...]
    matches: int


class Swapped(EventBody, frozen=True, tag="swapped"):
    seat: int
    island: str
    colour: str
    island2: str
    colour2: str


class LacePlaced(EventBody, frozen=True, tag="lace_placed"):
    """`displaced`: the seats whose workers went back; `compensation`: the coins of each."""

    seat: int
    square: int
    privilege: bool
    coins: int
    displaced: tuple[int, ...]
    compensation: int


class LaceEnded(EventBody, frozen=True, tag="lace_ended"):
    """The wheel turns by the workers sent."""

    seat: int
    workers: int


class Earned(EventBody, frozen=True, tag="earned"):
    seat: int
    coins: int


class Skipped(EventBody, frozen=True, tag="skipped"):
    """`what`: fish, lace, earn, crew, sell or lace_scoring."""

    seat: int
    what: str


class Caught(EventBody, frozen=True, tag="caught"):
    """`fish` is null for those who may not see it; `turned_up`: fish put on open slots after the catch."""

    seat: int
    source: int | Literal["deck"] = msgspec.field(name="from")
    fish: str | None
    turned_up: tuple[tuple[int, str], ...]


class CrewSent(EventBody, frozen=True, tag="crew_sent"):
    seat: int
    island: str
    workers: int
    displaced: tuple[int, ...]
    compensation: int


class Sold(EventBody, frozen=True, tag="sold"):
    """`harbour`: where the ship sails."""

    seat: int
    ship: int
    fish: tuple[str, ...]
    points: int
    harbour: str


class Recalled(EventBody, frozen=True, tag="recalled"):
    seat: int
    island: str | None
    square: int | None
    coins: int


class Finished(EventBody, frozen=True, tag="finished"):
    """A seat is done with taking workers back (`recall`) or with its roofs (`roofs`)."""

    seat: int
    what: str


class IslandsScored(EventBody, frozen=True, tag="islands_scored"):
    """`islands`: for each sea island with workers its name, who scores, and the points of each."""

    season: int
    islands: tuple[tuple[str, tuple[int, ...], int], ...]


class LaceScored(EventBody, frozen=True, tag="lace_scored"):
    """`guilds`: the sizes of the groups."""

    seat: int
    squares: tuple[int, ...]
    joker: str | None
    returned: dict[str, int]
    guilds: tuple[int, ...]
    points: int


class SeasonBegun(EventBody, frozen=True, tag="season_begun"):
    """The colour markers are dealt anew, and every seat gets cubes: those of its wheel, and its old pyramid."""

    season: int
    markers: dict[str, str]
    drawn: tuple[dict[str, int], ...]
    brought_down: tuple[dict[str, int], ...]


class StartPlayer(EventBody, frozen=True, tag="start_player"):
    seat: int


class FinalScore(msgspec.Struct, frozen=True):
    """What a seat got after winter. `privileges`: those that became coins."""

    privileges: int
    coins: int
    fish: int
    buildings: int


class Ended(EventBody, frozen=True, tag="ended"):
    """The points of coins, unsold fish and building cards by seat, and the final scores."""

    final: tuple[FinalScore, ...]
    scores: tuple[int, ...]


BuranoEvent: TypeAlias = (
    RoofDrawn
    | RoofReturned
    | Stacked
    | RoundsBegun
    | Taken
    | Built
    | Painted
    | RoofScored
    | CoinGained
    | CubeGained
    | TurnEnded
    | Sailed
    | Swapped
    | LacePlaced
    | LaceEnded
    | Earned
    | Skipped
    | Caught
    | CrewSent
    | Sold
    | Recalled
    | Finished
    | IslandsScored
    | LaceScored
    | SeasonBegun
    | StartPlayer
    | Ended
)
