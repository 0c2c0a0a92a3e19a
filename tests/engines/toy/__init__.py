"""A small game that has everything the laws look at, to show that they hold for a sound engine and catch a broken one.

Cards 0 to 19 are shuffled; each seat gets three, secretly. In its turn a seat plays cards (at most two, in the open,
one point each), and ends the turn by drawing a card, by rolling one or two dice for points, or by passing. After each
round every seat that has cards bids one, all at once and hidden till the last has chosen; the highest scores five, all
bids go to the table. The game ends after `rounds` rounds, or at once when somebody has forty points.

Words on the dice: one shuffle of the deck (its top is the end of the list), below(6) for each die.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Any, Literal, TypedDict

import msgspec
from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.engine import Action, Event, EventBody, IllegalAction, Result, with_turn

CARDS, HAND, GOAL, PLAYS = 20, 3, 40, 2


class Phase(StrEnum):
    TURN = "turn"
    BID = "bid"
    OVER = "over"


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rounds: Literal[3, 5] = 3
    bids: bool = True


class Play(Action, frozen=True, tag="play"):
    cards: tuple[int, ...]
    loud: bool


class Draw(Action, frozen=True, tag="draw"):
    pass


class Roll(Action, frozen=True, tag="roll"):
    dice: int
    aim: Literal["low", "high"]


class Pass(Action, frozen=True, tag="pass"):
    pass


class Bid(Action, frozen=True, tag="bid"):
    card: int


class Played(EventBody, frozen=True, tag="played"):
    seat: int
    cards: tuple[int, ...]


class Drew(EventBody, frozen=True, tag="drew"):
    seat: int
    card: int | None


class Rolled(EventBody, frozen=True, tag="rolled"):
    seat: int
    dice: tuple[int, ...]


class Bids(EventBody, frozen=True, tag="bids"):
    cards: tuple[int | None, ...]


class State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    options: Options
    phase: Phase
    number: int
    seat: int
    played: int
    deck: tuple[int, ...]
    table: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    bids: tuple[int | None, ...]


Count = Annotated[int, msgspec.Meta(ge=0)]


class PublicView(TypedDict):
    seat: Count
    played: Count
    deck: Count
    hands: tuple[Count, ...]
    table: tuple[Count, ...]
    scores: tuple[int, ...]
    chosen: tuple[bool, ...]


class PrivateView(TypedDict):
    hand: tuple[Count, ...]
    bid: int | None


@lru_cache(maxsize=256)
def sizes(hands: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return tuple(len(hand) for hand in hands)


@lru_cache(maxsize=256)
def chosen(bids: tuple[int | None, ...]) -> tuple[bool, ...]:
    return tuple(bid is not None for bid in bids)


def put(items: tuple[Any, ...], place: int, item: Any) -> tuple[Any, ...]:
    return (*items[:place], item, *items[place + 1 :])


class ToyEngine:
    name = "toy"
    title = "Toy"
    rules = "1.0.0"
    seats = range(1, 5)
    options = Options
    actions = Play | Draw | Roll | Pass | Bid
    events = Played | Drew | Rolled | Bids
    views = (PublicView, PrivateView)

    def turn(self, state: State) -> tuple[int, str]:
        return state.number, state.phase

    def new(self, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        deck = tuple(dice.shuffle(range(CARDS)))
        dealt = HAND * seats
        hands = tuple(tuple(sorted(deck[CARDS - dealt :][seat::seats])) for seat in range(seats))
        return State(
            options=msgspec.convert(options, Options, from_attributes=True),
            phase=Phase.TURN,
            number=1,
            seat=0,
            played=0,
            deck=deck[: CARDS - dealt],
            table=(),
            hands=hands,
            scores=(0,) * seats,
            bids=(None,) * seats,
        )

    def deciding(self, state: State) -> tuple[int, ...]:
        if state.phase is Phase.BID:
            return tuple(seat for seat, bid in enumerate(state.bids) if bid is None and state.hands[seat])
        return (state.seat,) if state.phase is Phase.TURN else ()

    def decision(self, state: State, seat: int) -> tuple[object, ...]:
        return state.number, state.phase, seat, state.played if state.phase is Phase.TURN else 0

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        if seat not in self.deciding(state):
            return ()
        hand = state.hands[seat]
        if state.phase is Phase.BID:
            return [Bid(card=card) for card in hand]
        plays: list[Action] = []
        if state.played < PLAYS:
            sets = sorted([(card,) for card in hand] + list(pairwise(hand)))
            plays = [Play(cards=cards, loud=loud) for cards in sets for loud in (False, True)]
        draws: list[Action] = [Draw()] if state.deck else []
        rolls: list[Action] = [Roll(dice=n, aim=aim) for n in (1, 2) for aim in ("low", "high")]
        return [*plays, *draws, *rolls, Pass()]

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        if seat not in self.deciding(state):
            raise IllegalAction("another seat decides")
        if action not in self.legal_actions(state, seat):
            raise IllegalAction("the rules do not allow that now")
        return self.carry_out(state, seat, action, dice)

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        match action:
            case Bid(card=card):
                return self.bid(state, seat, card)
            case Play(cards=cards):
                hand = tuple(card for card in state.hands[seat] if card not in cards)
                state = replace(
                    state,
                    hands=put(state.hands, seat, hand),
                    table=(*state.table, *cards),
                    scores=put(state.scores, seat, state.scores[seat] + len(cards)),
                    played=state.played + 1,
                )
                return self.end(state), [Event(Played(seat=seat, cards=cards))]
            case Draw():
                card = state.deck[-1]
                hand = tuple(sorted((*state.hands[seat], card)))
                state = replace(state, deck=state.deck[:-1], hands=put(state.hands, seat, hand))
                return self.next(state), [self.drew(seat, card)]
            case Roll(dice=count):
                rolled = tuple(dice.below(6) + 1 for _ in range(count))
                state = replace(state, scores=put(state.scores, seat, state.scores[seat] + sum(rolled)))
                return self.end(self.next(state)), [self.rolled(seat, rolled)]
            case _:
                return self.next(state), []

    def drew(self, seat: int, card: int) -> Event:
        return Event(Drew(seat=seat, card=None), private=((seat, Drew(seat=seat, card=card)),), reveals=True)

    def rolled(self, seat: int, dice: tuple[int, ...]) -> Event:
        return Event(Rolled(seat=seat, dice=dice), reveals=True)

    def bid(self, state: State, seat: int, card: int) -> tuple[State, list[Event]]:
        state = replace(state, bids=put(state.bids, seat, card))
        if self.deciding(state):
            return state, []
        best = max(range(len(state.bids)), key=lambda each: -1 if state.bids[each] is None else state.bids[each])
        event = Event(Bids(cards=state.bids), reveals=True)
        shown = tuple(bid for bid in state.bids if bid is not None)
        hands = tuple(tuple(card for card in hand if card not in shown) for hand in state.hands)
        state = replace(
            state,
            table=state.table + shown,
            hands=hands,
            scores=put(state.scores, best, state.scores[best] + 5),
            bids=(None,) * len(state.bids),
        )
        return self.end(self.round(state)), [event]

    def end(self, state: State) -> State:
        return replace(state, phase=Phase.OVER) if max(state.scores) >= GOAL else state

    def next(self, state: State) -> State:
        """The next seat's turn, or what follows the last one."""
        state = replace(state, played=0)
        if state.seat + 1 < len(state.hands):
            return replace(state, seat=state.seat + 1, number=state.number + 1)
        if state.options.bids and any(state.hands):
            return replace(state, phase=Phase.BID)
        return self.round(state)

    def round(self, state: State) -> State:
        if state.number >= state.options.rounds * len(state.hands):
            return replace(state, phase=Phase.OVER)
        return replace(state, phase=Phase.TURN, seat=0, number=state.number + 1)

    def default_action(self, state: State, seat: int) -> Action:
        return Bid(card=state.hands[seat][0]) if state.phase is Phase.BID else Pass()

    def public_view(self, state: State) -> Mapping[str, object]:
        return {
            "seat": state.seat,
            "played": state.played,
            "deck": len(state.deck),
            "hands": sizes(state.hands),
            "table": state.table,
            "scores": state.scores,
            "chosen": chosen(state.bids),
        }

    def private_view(self, state: State, seat: int) -> Mapping[str, object]:
        return {"hand": state.hands[seat], "bid": state.bids[seat]}

    def result(self, state: State) -> Result | None:
        if state.phase is not Phase.OVER:
            return None
        ranks = tuple(1 + sum(other > score for other in state.scores) for score in state.scores)
        return Result(scores=state.scores, ranks=ranks, reason="goal" if max(state.scores) >= GOAL else "rounds")

    def dump(self, state: State) -> dict[str, object]:
        return msgspec.to_builtins(state)

    def load(self, data: Mapping[str, object]) -> State:
        try:
            state = msgspec.convert(data, State)
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error
        if sorted([*state.deck, *state.table, *sum(state.hands, ())]) != list(range(CARDS)):
            raise ValueError("a card is missing or there twice")
        seats = len(state.hands)
        if seats not in self.seats or len(state.scores) != seats or len(state.bids) != seats:
            raise ValueError("seats: not as many everywhere")
        if not 0 <= state.seat < seats or not 0 <= state.played <= PLAYS or state.number < 1:
            raise ValueError("the turn can't be")
        if any(bid is not None and bid not in hand for bid, hand in zip(state.bids, state.hands, strict=True)):
            raise ValueError("bids: a card that is not in the hand")
        if state.phase is Phase.BID and not self.deciding(state):
            raise ValueError("phase: nobody bids")
        return state

    def imagine(
        self,
        public: Mapping[str, Any],
        private: Mapping[str, Any] | None,
        seats: int,
        options: msgspec.Struct,
        dice: Dice,
    ) -> State:
        known = set(public["table"]) | (set(private["hand"]) if private else set())
        hidden = dice.shuffle(card for card in range(CARDS) if card not in known)
        hands, bids = [], []
        for seat, size in enumerate(public["hands"]):
            own = private is not None and private["seat"] == seat
            hand = list(private["hand"]) if own else sorted(hidden.pop() for _ in range(size))
            bid = (private["bid"] if own else hand[dice.below(size)]) if public["chosen"][seat] else None
            hands.append(tuple(hand))
            bids.append(bid)
        return State(
            options=msgspec.convert(options, Options, from_attributes=True),
            phase=Phase(public["phase"]),
            number=public["number"],
            seat=public["seat"],
            played=public["played"],
            deck=tuple(hidden),
            table=tuple(public["table"]),
            hands=tuple(hands),
            scores=tuple(public["scores"]),
            bids=tuple(bids),
        )

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        private = None if seat is None else {"seat": seat, **self.private_view(state, seat)}
        return self.imagine(
            with_turn(self.public_view(state), self.turn(state)), private, len(state.hands), state.options, dice
        )


ENGINE = ToyEngine()
