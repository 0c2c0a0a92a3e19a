"""One action being carried out: the state as it changes, the dice, and what happened so far.

1. A `Play` is thrown away when its action is refused or done: a refusal has nothing to take back.
2. Steps check everything before they change anything, and before they draw.
3. What the supply has not, nobody gets (D12); `give` says what was got and what was short.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple

from msgspec.structs import replace

from server.engines.bretagne.actions import AnyAction, Counts
from server.engines.bretagne.actions import Gain as Choice
from server.engines.bretagne.box import (
    MATERIALS,
    NOTHING,
    PLACE,
    Equipment,
    Gain,
    LightClass,
    Material,
    SiteRow,
    Stock,
    Weather,
)
from server.engines.bretagne.components import Components
from server.engines.bretagne.state import (
    AnyTask,
    Lighthouse,
    Player,
    State,
    minus,
    plus,
    smaller,
)
from server.engines.dice import Dice
from server.engines.engine import Event, EventBody, IllegalAction


class Stage(Enum):
    """What begins by itself when nothing is left to decide in the stage before."""

    ROUND = auto()
    INCOME = auto()
    SUPPLY = auto()
    LOAD = auto()
    ACTIONS = auto()
    NEXT_TURN = auto()
    EVALUATE = auto()
    CLOSE = auto()


class Given(NamedTuple):
    """What a player got of a gain, what was not there, the materials still to be chosen, the kinds of cards drawn."""

    got: Counts
    short: Counts
    choices: int
    cards: tuple[Equipment, ...]


class Play:
    """The workbench of one action."""

    __slots__ = ("box", "components", "dice", "events", "state")

    def __init__(self, components: Components, state: State, dice: Dice) -> None:
        self.components = components
        self.box = components.box
        self.state = state
        self.dice = dice
        self.events: list[Event] = []

    def tell(self, public: EventBody) -> None:
        """Adds an event that everybody sees alike."""
        self.events.append(Event(public))

    def tell_drawn(self, seat: int, public: EventBody, cards: tuple[Equipment, ...]) -> None:
        """Adds an event with a field `cards`, which only the seat is shown; drawing reveals."""
        if cards:
            self.events.append(Event(public, ((seat, replace(public, cards=cards)),), reveals=True))
        else:
            self.tell(public)

    def change(self, **parts: object) -> None:
        """Puts other parts into the state."""
        self.state = replace(self.state, **parts)

    def await_decision(self, task: AnyTask) -> None:
        """Makes this the decision that is waited for."""
        self.state = replace(self.state, task=task)

    def player(self, seat: int) -> Player:
        """The belongings of a seat."""
        return self.state.players[seat]

    def change_player(self, seat: int, **parts: object) -> None:
        """Changes a seat's belongings."""
        players = self.state.players
        changed = replace(players[seat], **parts)
        self.state = replace(self.state, players=(*players[:seat], changed, *players[seat + 1 :]))

    def lighthouse(self, site: int) -> Lighthouse:
        """What stands on a site."""
        return self.state.lighthouses[site - 1]

    def change_lighthouse(self, site: int, **parts: object) -> None:
        """Changes what stands on a site."""
        all_ = self.state.lighthouses
        changed = replace(all_[site - 1], **parts)
        self.state = replace(self.state, lighthouses=(*all_[: site - 1], changed, *all_[site:]))

    def site(self, site: int) -> SiteRow:
        """The place on the coast."""
        return self.box.sites[site - 1]

    def class_of(self, site: int) -> LightClass:
        """The class of a site."""
        return self.box.sites[site - 1].light_class

    def weather(self) -> Weather:
        """This round's weather."""
        return self.state.weather[self.state.round - 1]

    def supply(self, materials: Stock = NOTHING, engineers: int = 0) -> None:
        """Adds to the supply (takes, where negative)."""
        supply = self.state.supply
        changed = replace(supply, materials=plus(supply.materials, materials), engineers=supply.engineers + engineers)
        self.state = replace(self.state, supply=changed)

    def draw_cards(self, seat: int, wanted: int) -> tuple[Equipment, ...]:
        """Draws equipment into the hand, fewer if there is no more; an empty deck is made of the discards (D4)."""
        deck, discards = list(self.state.deck), self.state.discards
        drawn: list[int] = []
        while len(drawn) < wanted:
            if not deck:
                if not discards:
                    break
                deck, discards = self.dice.shuffle(discards), ()
            drawn.append(deck.pop())
        if drawn:
            self.change_player(seat, hand=tuple(sorted((*self.player(seat).hand, *drawn))))
            self.change(deck=tuple(deck), discards=discards)
        return tuple(sorted((self.components.card_kinds[card] for card in drawn), key=list(Equipment).index))

    def give(self, seat: int, gain: Gain) -> Given:
        """Gives the seat what is there of a gain; the materials of choice are decisions that follow."""
        player, supply = self.player(seat), self.state.supply
        materials = smaller(gain.materials, supply.materials)
        engineers = min(gain.engineers, supply.engineers)
        workers = min(gain.workers, player.reserve)
        if any(materials) or engineers:
            self.supply(minus(NOTHING, materials), -engineers)
        self.change_player(
            seat,
            materials=plus(player.materials, materials),
            coins=player.coins + gain.coins,
            engineers=player.engineers + engineers,
            points=player.points + gain.points,
            warehouse=player.warehouse + workers,
            reserve=player.reserve - workers,
        )
        cards = self.draw_cards(seat, gain.equipment) if gain.equipment else ()
        choices = min(gain.any_material, sum(self.state.supply.materials))
        got = counts(
            materials, coins=gain.coins, equipment=len(cards), engineers=engineers, points=gain.points, workers=workers
        )
        short = counts(
            minus(gain.materials, materials),
            equipment=gain.equipment - len(cards),
            engineers=gain.engineers - engineers,
            workers=gain.workers - workers,
            any_material=gain.any_material - choices,
        )
        return Given(got, short, choices, cards)

    def give_chosen(self, seat: int, action: AnyAction) -> Material:
        """Gives the seat the material of choice that it names."""
        if not isinstance(action, Choice) or action.material not in self.in_supply():
            raise IllegalAction("choose a material that the supply has")
        chosen = one(action.material)
        self.supply(minus(NOTHING, chosen))
        self.change_player(seat, materials=plus(self.player(seat).materials, chosen))
        return action.material

    def in_supply(self) -> list[Material]:
        """The materials that the supply has."""
        return [material for material, n in zip(MATERIALS, self.state.supply.materials, strict=True) if n]

    def gain_choices(self) -> list[AnyAction]:
        """The actions that choose one of them."""
        return [Choice(material) for material in self.in_supply()]


def one(material: Material) -> Stock:
    """A stock of one piece."""
    place = PLACE[material]
    return tuple(int(i == place) for i in range(len(MATERIALS)))


def counts(materials: Stock = NOTHING, **others: int) -> Counts:
    """What there is, by name, without what there is none of."""
    named: Counts = {material.value: n for material, n in zip(MATERIALS, materials, strict=True) if n}
    named.update((name, n) for name, n in others.items() if n)
    return named


def leaving(play: Play, seat: int, kinds: Sequence[Equipment]) -> list[int]:
    """The cards that leave the hand: of each kind those with the lowest ids (D4)."""
    left = list(play.player(seat).hand)
    cards = []
    for kind in kinds:
        card = next(card for card in left if play.components.card_kinds[card] is kind)
        left.remove(card)
        cards.append(card)
    return cards
