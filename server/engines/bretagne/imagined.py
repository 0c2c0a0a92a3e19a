"""A possible full state behind what a viewer sees: what is hidden is dealt out at random.

Goes by the views alone. Dealt are: the cards of each kind (which of them lies where), the equipment cards nobody
shows (other hands, then the deck), the stacks by class, the production cards and the weather to come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from server.engines.bretagne.box import (
    CITIES,
    CLASSES,
    KINDS,
    MATERIALS,
    PLACE,
    Equipment,
    Material,
    Stock,
    Weather,
)
from server.engines.bretagne.components import Components
from server.engines.bretagne.shapes import Counts, LighthouseView, PlayerView, PublicView
from server.engines.bretagne.state import (
    AnyTask,
    Barges,
    Brest,
    Harbour,
    Level,
    Lighthouse,
    Load,
    Player,
    State,
    Status,
    Supply,
)
from server.engines.dice import Dice


class _Public(PublicView):
    number: int


class _Seen(msgspec.Struct, frozen=True):
    """The private view of one seat, as in the state document."""

    seat: int
    hand: Counts


class _Cards:
    """The equipment cards, dealt kind by kind to where a viewer sees them, then unseen."""

    def __init__(self, components: Components, dice: Dice) -> None:
        self._dice = dice
        self._left = {
            kind: dice.shuffle(i for i, each in enumerate(components.card_kinds) if each is kind) for kind in KINDS
        }

    def seen(self, kinds: Sequence[str]) -> tuple[int, ...]:
        """A card of each of these kinds, in their order."""
        try:
            return tuple(self._left[Equipment(kind)].pop() for kind in kinds)
        except IndexError as error:
            raise ValueError("more equipment cards of a kind are seen than there are") from error

    def unseen(self) -> list[int]:
        """All that nobody shows, shuffled."""
        return self._dice.shuffle(sorted(card for cards in self._left.values() for card in cards))


def imagine(
    components: Components,
    public: Mapping[str, object],
    private: Mapping[str, object] | None,
    barges: Barges,
    dice: Dice,
) -> State:
    """A state whose views for this viewer are these.

    Raises:
        ValueError: the views are not those of a game with these components.
    """
    try:
        view = cast(_Public, public)
        return _imagine(components, view, msgspec.convert(private, _Seen) if private else None, barges, dice)
    except (KeyError, TypeError, IndexError, msgspec.ValidationError) as error:
        raise ValueError(f"not a view of the game: {error}") from error


def _imagine(components: Components, view: _Public, seen: _Seen | None, barges: Barges, dice: Dice) -> State:
    cards = _Cards(components, dice)
    lighthouses = tuple(_lighthouse(each, cards.seen(each["cards"])) for each in view["lighthouses"])
    discards = tuple(sorted(cards.seen(_spread(view["equipment"]["discards"]))))
    own = tuple(sorted(cards.seen(_spread(seen.hand)))) if seen else ()
    deck = cards.unseen()
    players = []
    for seat, each in enumerate(view["players"]):
        hand = own
        if seen is None or seat != seen.seat:
            hand = tuple(sorted(deck[: each["hand"]]))
            deck = deck[each["hand"] :]
        players.append(_player(each, hand))
    opened = tuple(tuple(tile["id"] for tile in view["tiles"][name]["open"]) for name in CLASSES)
    stacks = _stacks(components, lighthouses, opened, dice)
    weather = view["weather"]
    weather_seen = [*weather["past"], weather["now"], *([weather["forecast"]] if weather["forecast"] else [])]
    production = view["production"]
    production_seen = [*production["past"], *([production["now"]] if production["now"] is not None else [])]
    production_unseen = [i for i in range(len(components.box.production)) if i not in production_seen]
    return State(
        barges=barges,
        round=view["round"],
        number=view["number"],
        task=msgspec.convert(view["task"], AnyTask),
        order=tuple(view["order"]),
        passed=tuple(view["passed"]),
        players=tuple(players),
        lighthouses=lighthouses,
        harbours=tuple(
            Harbour(each["tile"]["id"], each["improved"], tuple(each["workers"])) for each in view["harbours"]
        ),
        supply=Supply(_stock(view["supply"]["materials"]), view["supply"]["engineers"]),
        brest=Brest(
            _stock(view["brest"]["market"]), view["brest"]["single_engineers"], view["brest"]["engineer_pairs"]
        ),
        quimper=_stock(view["quimper"]),
        stacks=stacks,
        open=opened,
        weather=_weather(components, weather_seen, dice),
        production=(*production_seen, *dice.shuffle(production_unseen)),
        deck=tuple(deck),
        discards=discards,
    )


def _stock(view: Counts) -> Stock:
    return tuple(view[material] for material in MATERIALS)


def _spread(kinds: Counts) -> list[str]:
    return [kind for kind in KINDS for _ in range(kinds[kind])]


def _lighthouse(view: LighthouseView, cards: tuple[int, ...]) -> Lighthouse:
    levels = tuple(Level(each["tile"], each["seat"], each["workers"]) for each in view["levels"])
    return Lighthouse(view["id"], Status(view["status"]), levels, view["engineers"], view["coins"], cards)


def _player(view: PlayerView, hand: tuple[int, ...]) -> Player:
    loads = tuple(
        None if load is None else Load(PLACE[Material(load["material"])], load["amount"]) for load in view["loads"]
    )
    return Player(
        coins=view["coins"],
        points=view["points"],
        materials=_stock(view["materials"]),
        engineers=view["engineers"],
        warehouse=view["warehouse"],
        reserve=view["reserve"],
        cities=tuple(view[city.value] for city in CITIES),
        barge=view["barge"],
        loads=loads,
        hand=hand,
    )


def _stacks(
    components: Components, lighthouses: tuple[Lighthouse, ...], opened: tuple[tuple[int, ...], ...], dice: Dice
) -> tuple[tuple[int, ...], ...]:
    laid = {level.tile for lighthouse in lighthouses for level in lighthouse.levels}
    shown = laid.union(*opened)
    return tuple(tuple(dice.shuffle(i for i in components.tiles_of[name] if i not in shown)) for name in CLASSES)


def _weather(components: Components, seen: Sequence[str], dice: Dice) -> tuple[Weather, ...]:
    to_come = Counter(components.box.weather) - Counter(Weather(card) for card in seen)
    return (*(Weather(card) for card in seen), *dice.shuffle(to_come.elements()))
