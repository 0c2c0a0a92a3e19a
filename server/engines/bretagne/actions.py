"""Bretagne's actions and events, a struct each, in the order of the rules' table of actions.

Events tell what an action cost and gave. `got` and `short` count by what it is (a material, `coins`, `equipment`, …);
`short` is what was due and the supply had not. Cards drawn are named in their owner's form alone: `cards` is absent
from the public one.
"""

from __future__ import annotations

from typing import TypeAlias

from server.engines.bretagne.box import (
    City,
    Equipment,
    Material,
    Region,
    Trade,
    Weather,
)
from server.engines.engine import Action, EventBody

Counts: TypeAlias = dict[str, int]


class ChooseBarge(Action, frozen=True, tag="choose_barge"):
    """Take the barge card of this place (option `chosen`)."""

    place: int


class Gain(Action, frozen=True, tag="gain"):
    """Choose the material that a harbour or a tile gives."""

    material: Material


class Load(Action, frozen=True, tag="load"):
    """Fill the barge with this material from Quimper."""

    material: Material


class Build(Action, frozen=True, tag="build"):
    """Lay an open construction tile on the lighthouse of this site."""

    tile: int
    site: int


class EnterCity(Action, frozen=True, tag="trade"):
    """Send a worker to this city to trade."""

    city: City


class Pass(Action, frozen=True, tag="pass"):
    """Do nothing more this round; at loading: nothing is left at Quimper."""


class Crew(Action, frozen=True, tag="crew"):
    """Of the workers on the new level, so many go straight home."""

    home: int


class Hire(Action, frozen=True, tag="hire"):
    """Brest: a single engineer."""


class HirePair(Action, frozen=True, tag="hire_pair"):
    """Brest: a pair of engineers."""


class Buy(Action, frozen=True, tag="buy"):
    """Materials from Brest's market or, in Lorient, from the supply; sorted in component order."""

    materials: tuple[Material, ...]


class Sell(Action, frozen=True, tag="sell"):
    """Brest: materials to the supply; sorted in component order."""

    materials: tuple[Material, ...]


class DrawCards(Action, frozen=True, tag="draw_cards"):
    """Lorient: equipment cards from the deck."""


class SellCards(Action, frozen=True, tag="sell_cards"):
    """Lorient: equipment cards from the hand; sorted in component order."""

    cards: tuple[Equipment, ...]


class Recruit(Action, frozen=True, tag="recruit"):
    """Lorient: a worker from the reserve to the warehouse."""


class Swap(Action, frozen=True, tag="swap"):
    """Lorient: an equipment card for a material and a coin."""

    card: Equipment
    material: Material


class NextCity(Action, frozen=True, tag="next_city"):
    """Send another worker to the other city to trade there."""


class Equip(Action, frozen=True, tag="equip"):
    """Play an equipment card at the lighthouse that is evaluated."""

    card: Equipment


class Enter(Action, frozen=True, tag="enter"):
    """Move a worker from the lighthouse to its harbour."""


class Skip(Action, frozen=True, tag="skip"):
    """Stay out of the harbour."""


class Done(Action, frozen=True, tag="done"):
    """End trading, or playing cards at this lighthouse."""


AnyAction: TypeAlias = (
    ChooseBarge
    | Gain
    | Load
    | Build
    | EnterCity
    | Pass
    | Crew
    | Hire
    | HirePair
    | Buy
    | Sell
    | DrawCards
    | SellCards
    | Recruit
    | Swap
    | NextCity
    | Equip
    | Enter
    | Skip
    | Done
)


class RoundEvent(EventBody, frozen=True, tag="round"):
    """A round begins, with this turn order."""

    round: int
    order: tuple[int, ...]


class WeatherEvent(EventBody, frozen=True, tag="weather"):
    """The round's weather and the forecast (None in the last round)."""

    weather: Weather
    forecast: Weather | None


class BargeEvent(EventBody, frozen=True, tag="barge"):
    """A seat has got a barge card, with its engineers and coins."""

    seat: int
    place: int
    got: Counts
    short: Counts


class IncomeEvent(EventBody, frozen=True, tag="income", omit_defaults=True):
    """A harbour has paid a worker's owner; `choices`: materials of choice that are decided next."""

    seat: int
    harbour: int
    got: Counts
    short: Counts
    choices: int = 0
    cards: tuple[Equipment, ...] | None = None


class Gained(EventBody, frozen=True, tag="gained"):
    """A material of choice, from the harbour or from the tile laid on the site (the other is None)."""

    seat: int
    material: Material
    harbour: int | None
    site: int | None


class Supplied(EventBody, frozen=True, tag="supplied"):
    """Brest and Quimper are filled. Stocks and shortages are in component order; `card` is the production card."""

    card: int
    market: tuple[int, ...]
    market_short: tuple[int, ...]
    single_engineers: int
    engineer_pairs: int
    engineers_short: int
    quimper: tuple[int, ...]
    quimper_short: tuple[int, ...]


class Opened(EventBody, frozen=True, tag="opened"):
    """Construction tiles are turned up; `short`: so many places stay empty, the stacks being empty."""

    tiles: tuple[int, ...]
    short: int


class Loaded(EventBody, frozen=True, tag="loaded"):
    """A barge is filled; without material when Quimper has nothing left."""

    seat: int
    barge: int
    material: Material | None
    amount: int


class Built(EventBody, frozen=True, tag="built", omit_defaults=True):
    """A level is built: what was paid, whether a worker was injured, the reward, the idle coins taken."""

    seat: int
    tile: int
    site: int
    level: int
    paid: Counts
    engineers: int
    injured: bool
    got: Counts
    short: Counts
    idle_coins: int
    choices: int = 0
    cards: tuple[Equipment, ...] | None = None


class Crewed(EventBody, frozen=True, tag="crewed"):
    """`workers` man the new level; `home` more went straight home for points."""

    seat: int
    site: int
    workers: int
    home: int
    points: int


class CityEntered(EventBody, frozen=True, tag="city_entered"):
    """A worker stands in the city."""

    seat: int
    city: City


class Traded(EventBody, frozen=True, tag="traded", omit_defaults=True):
    """A trade: what was paid and got; equipment given is named in `sold`."""

    seat: int
    city: City
    trade: Trade
    paid: Counts
    got: Counts
    sold: tuple[Equipment, ...] = ()
    cards: tuple[Equipment, ...] | None = None


class TradeDone(EventBody, frozen=True, tag="trade_done"):
    """A seat has ended its trading."""

    seat: int


class Passed(EventBody, frozen=True, tag="passed"):
    """A seat has passed: its place in the next round, and what went back."""

    seat: int
    place: int
    returned: Counts
    engineers: int
    workers_home: int


class Equipped(EventBody, frozen=True, tag="equipped"):
    """A card is played at a lighthouse; the worker on this level went home."""

    seat: int
    site: int
    card: Equipment
    points: int
    level: int


class EquipDone(EventBody, frozen=True, tag="equip_done"):
    """A seat plays no more cards at this lighthouse."""

    seat: int
    site: int


class Entered(EventBody, frozen=True, tag="entered"):
    """A worker moved from this level to the harbour, for so many coins."""

    seat: int
    site: int
    harbour: int
    level: int
    paid: int


class Skipped(EventBody, frozen=True, tag="skipped"):
    """A seat stayed out of the harbour."""

    seat: int
    site: int
    harbour: int


class Evaluated(EventBody, frozen=True, tag="evaluated"):
    """A step of an evaluation (`equipment`, `harbour`, `majority`): the order; workers and points by seat."""

    site: int
    step: str
    order: tuple[int, ...]
    workers: tuple[int, ...]
    points: tuple[int, ...]


class Flipped(EventBody, frozen=True, tag="flipped"):
    """The harbours of a region are improved."""

    region: Region
    harbours: tuple[int, ...]


class Closed(EventBody, frozen=True, tag="closed"):
    """The round is closed: engineers went back to the supply, coins lie on idle sites."""

    engineers: int
    idle_sites: tuple[int, ...]


class Ended(EventBody, frozen=True, tag="ended"):
    """The game is over: the points of the end by seat, and the scores."""

    reason: str
    order_points: tuple[int, ...]
    harbour_points: tuple[int, ...]
    coin_points: tuple[int, ...]
    scores: tuple[int, ...]


AnyEvent: TypeAlias = (
    RoundEvent
    | WeatherEvent
    | BargeEvent
    | IncomeEvent
    | Gained
    | Supplied
    | Opened
    | Loaded
    | Built
    | Crewed
    | CityEntered
    | Traded
    | TradeDone
    | Passed
    | Equipped
    | EquipDone
    | Entered
    | Skipped
    | Evaluated
    | Flipped
    | Closed
    | Ended
)
