"""The toy game broken in many ways, one a class; `law` names the laws' function that has to find it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.engine import Action, Event, IllegalAction, Result
from tests.engines.toy import Bid, Bids, Draw, Drew, Pass, Phase, Play, Roll, Rolled, State, ToyEngine, put

BROKEN: list[type[ToyEngine]] = []


class Broken(ToyEngine):
    """Base of the broken ones, which collects them."""

    law: ClassVar[str]

    def __init_subclass__(cls, law: str) -> None:
        cls.law = law
        BROKEN.append(cls)


class OwnChance(Broken, law="same_seed_same_game"):
    """Rolls dice of its own."""

    rolls = count()

    def rolled(self, seat: int, dice: tuple[int, ...]) -> Event:
        return Event(Rolled(seat=seat, dice=(*dice, next(self.rolls))), reveals=True)


class Remembering(Broken, law="the_journal_gives_the_same_states"):
    """Keeps more in the engine than in the state: whether an action came over the wire."""

    seen: ClassVar[set[int]] = set()

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after, events = super().carry_out(state, seat, action, dice)
        if id(action) not in self.seen and isinstance(action, Play):
            self.seen.add(id(action))
            self.kept.append(action)
            after = replace(after, scores=put(after.scores, seat, after.scores[seat] + len(self.seen) % 3))
        return after, events

    kept: ClassVar[list[Action]] = []


class OtherWords(Broken, law="the_journal_gives_the_same_states"):
    """Takes a word more for a new action object, with the same numbers on the dice."""

    seen: ClassVar[dict[int, Action]] = {}

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after = super().carry_out(state, seat, action, dice)
        if isinstance(action, Pass) and self.seen.setdefault(id(action), action) is action and len(self.seen) % 2:
            dice.below(1)
        return after


class RefusesListed(Broken, law="listed_actions_apply"):
    """Lists a bold roll that it then refuses."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        if isinstance(action, Roll) and action.dice == 2 and state.number == 2:
            raise IllegalAction("only one die in the second turn")
        return super().apply(state, seat, action, dice)

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        return super().legal_actions(state, seat)


class Trusting(Broken, law="nothing_else_applies"):
    """Takes any set of cards that are in the hand."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        turn = isinstance(action, Play) and state.phase is Phase.TURN and seat == state.seat
        if turn and action.cards and set(action.cards) <= set(state.hands[seat]):
            return self.carry_out(state, seat, action, dice)
        return super().apply(state, seat, action, dice)


class ManyDice(Broken, law="nothing_else_applies"):
    """Rolls up to nine dice."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        if isinstance(action, Roll) and action.dice < 10 and state.phase is Phase.TURN and seat == state.seat:
            return self.carry_out(state, seat, action, dice)
        return super().apply(state, seat, action, dice)


class ThrowsFirst(Broken, law="nothing_else_applies"):
    """Throws the dice before it looks whether it may."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        if isinstance(action, Bid) and state.phase is Phase.TURN:
            dice.below(6)
        return super().apply(state, seat, action, dice)


class Mute(Broken, law="nothing_else_applies"):
    """Refuses without a reason."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        try:
            return super().apply(state, seat, action, dice)
        except IllegalAction:
            raise IllegalAction("") from None


class LaxBid(msgspec.Struct, frozen=True, tag="bid", tag_field="type"):
    card: int


class Lax(Broken, law="the_decoder_takes_no_malformed_action"):
    """Has an action that takes fields it does not know."""

    actions = Play | Draw | Roll | Pass | LaxBid


class Hasty(Broken, law="only_deciding_seats_act"):
    """Lists bids of those who have bid."""

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        if state.phase is Phase.BID and state.hands[seat]:
            return [Bid(card=card) for card in state.hands[seat]]
        return super().legal_actions(state, seat)


class OutOfTurn(Broken, law="only_deciding_seats_act"):
    """Lets anybody pass in anybody's turn."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        if isinstance(action, Pass | Roll) and state.phase is Phase.TURN:
            return self.carry_out(state, state.seat, action, dice)
        return super().apply(state, seat, action, dice)


class AfterTheEnd(Broken, law="only_deciding_seats_act"):
    """Still lets seats pass when the game is over."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        if state.phase is Phase.OVER and isinstance(action, Pass):
            return state, []
        return super().apply(state, seat, action, dice)


class EarlyResult(Broken, law="there_is_a_result_when_nobody_decides"):
    """Has a result in the last round already."""

    def result(self, state: State) -> Result | None:
        if state.number >= len(state.hands) * state.options.rounds:
            return super().result(replace(state, phase=Phase.OVER))
        return None


class SharedLast(Broken, law="there_is_a_result_when_nobody_decides"):
    """Counts ranks without gaps."""

    def result(self, state: State) -> Result | None:
        result = super().result(state)
        if result is None:
            return None
        return replace(result, ranks=tuple(rank + 1 for rank in result.ranks))


class FromZero(Broken, law="turns_are_counted"):
    """Counts turns from zero."""

    def turn(self, state: State) -> tuple[int, str]:
        return state.number - 1, state.phase


class NeverOver(Broken, law="turns_are_counted"):
    """Does not say that it is over."""

    def turn(self, state: State) -> tuple[int, str]:
        return state.number, "turn"


class Doubled(Broken, law="lists_are_short_and_without_doubles"):
    """Lists the pass twice."""

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        actions = list(super().legal_actions(state, seat))
        return actions + [action for action in actions if isinstance(action, Pass)]


class Endless(Broken, law="lists_are_short_and_without_doubles"):
    """Lists thousands of actions."""

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        actions = list(super().legal_actions(state, seat))
        return [*actions, *(Roll(dice=n, aim="low") for n in range(3, 2100))] if len(actions) > 3 else actions


class BadDefault(Broken, law="lists_are_short_and_without_doubles"):
    """Bids a card by default that the seat may not have."""

    def default_action(self, state: State, seat: int) -> Action:
        return Bid(card=19) if state.phase is Phase.BID else Pass()


class Descending(Broken, law="lists_are_in_order"):
    """Lists the highest cards first."""

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        actions = super().legal_actions(state, seat)
        return actions[::-1] if state.phase is Phase.BID else actions


class Mixed(Broken, law="lists_are_in_order"):
    """Lists a roll between the plays."""

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        actions = list(super().legal_actions(state, seat))
        return [*actions[-2:-1], *actions[:-2], *actions[-1:]]


class TwoOrders(Broken, law="lists_are_in_order"):
    """Has the words of a parameter now in this order, now in that."""

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        actions = list(super().legal_actions(state, seat))
        if state.phase is Phase.TURN and seat == state.seat and state.number % 2:
            actions[-5:-3] = actions[-5:-3][::-1]
        return actions


class OneDecision(Broken, law="decisions_are_told_apart"):
    """Takes the second play of a turn for the same decision as the first."""

    def decision(self, state: State, seat: int) -> tuple[object, ...]:
        return state.number, state.phase, seat


class Disturbed(Broken, law="decisions_are_told_apart"):
    """Lets a decision begin anew when another seat has bid."""

    def decision(self, state: State, seat: int) -> tuple[object, ...]:
        return *super().decision(state, seat), state.bids


class QuietDice(Broken, law="dice_reveal"):
    """Does not flag a roll."""

    def rolled(self, seat: int, dice: tuple[int, ...]) -> Event:
        return Event(Rolled(seat=seat, dice=dice))


class Unpublished(Broken, law="events_are_well_formed"):
    """Has an event that is not in its union."""

    events = Drew | Rolled | Bids


class TwoForms(Broken, law="events_are_well_formed"):
    """Has two forms of an event for one seat."""

    def drew(self, seat: int, card: int) -> Event:
        event = super().drew(seat, card)
        return replace(event, private=event.private * 2)


class Lingering(Broken, law="defaults_end_the_game"):
    """Never ends when nobody but the server plays."""

    def round(self, state: State) -> State:
        if any(state.scores):
            return super().round(state)
        return replace(state, phase=Phase.TURN, seat=0, number=state.number + 1)


class Fractions(Broken, law="states_are_values"):
    """Keeps a fraction in its state."""

    def new(self, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        return replace(super().new(seats, options, dice), scores=(0.0,) * seats)


class Lists(Broken, law="states_are_values"):
    """Keeps a list in its state."""

    def new(self, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        state = super().new(seats, options, dice)
        return replace(state, deck=list(state.deck))

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after, events = super().carry_out(replace(state, deck=tuple(state.deck)), seat, action, dice)
        return replace(after, deck=list(after.deck)), events


class InPlace(Lists, law="nothing_is_changed_in_place"):
    """Takes the drawn card from the list that the state before has too."""

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after, events = super().carry_out(state, seat, action, dice)
        if isinstance(action, Draw):
            state.deck.pop()
        return after, events


class Forgetful(Broken, law="dumps_are_read_back"):
    """Forgets in the dump how many cards were played."""

    def dump(self, state: State) -> dict[str, object]:
        return super().dump(replace(state, played=0))


class Credulous(Broken, law="impossible_states_are_refused"):
    """Loads a state in which cards are missing."""

    def load(self, data: Mapping[str, object]) -> State:
        return msgspec.convert(data, State)


class Crashing(Broken, law="impossible_states_are_refused"):
    """Falls over a dump without a key."""

    def load(self, data: Mapping[str, object]) -> State:
        if data["deck"] is None or data["bids"] is None:
            raise ValueError("no deck or no bids")
        return super().load(data)


class Losing(Broken, law="nothing_is_lost"):
    """Drops the drawn card."""

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after, events = super().carry_out(state, seat, action, dice)
        return (replace(after, hands=state.hands) if isinstance(action, Draw) else after), events


class Taking(Broken, law="nothing_is_lost"):
    """Takes points back."""

    def round(self, state: State) -> State:
        return super().round(replace(state, scores=(0,) * len(state.scores)))


class FractionView(Broken, law="views_are_json"):
    """Shows a mean."""

    def public_view(self, state: State) -> Mapping[str, object]:
        return {**super().public_view(state), "played": state.played / 2}


class SlashKey(Broken, law="views_are_json"):
    """Has a key that a patch's path would have to escape."""

    def public_view(self, state: State) -> Mapping[str, object]:
        return {**super().public_view(state), "cards/deck": 1}


class MoreThanPublished(Broken, law="views_have_the_published_form"):
    """Shows something that its TypedDict has not."""

    def private_view(self, state: State, seat: int) -> Mapping[str, object]:
        return {**super().private_view(state, seat), "best": max(state.hands[seat], default=0)}


class WrongForm(Broken, law="views_have_the_published_form"):
    """Shows the table by words."""

    def public_view(self, state: State) -> Mapping[str, object]:
        return {**super().public_view(state), "table": tuple(map(str, state.table))}


class Copying(Broken, law="unchanged_parts_are_the_same_objects"):
    """Builds the table's part anew for every view."""

    def public_view(self, state: State) -> Mapping[str, object]:
        return {**super().public_view(state), "table": (*state.table,)}


class ForgetfulView(Broken, law="unchanged_parts_are_the_same_objects"):
    """Remembers a part only as long as no other is looked at."""

    @staticmethod
    @lru_cache(maxsize=1)
    def _copied(hand: tuple[int, ...]) -> tuple[int, ...]:
        return (*hand, 0)[:-1]

    def private_view(self, state: State, seat: int) -> Mapping[str, object]:
        return {**super().private_view(state, seat), "hand": self._copied(state.hands[seat])}


class GrowingView(Broken, law="patches_add_up_to_the_view"):
    """Shows one list of the table that grows in place: no difference ever shows."""

    shown: ClassVar[list[int]] = []

    def public_view(self, state: State) -> Mapping[str, object]:
        self.shown[:] = state.table
        return {**super().public_view(state), "table": self.shown}


class OpenHand(Broken, law="no_viewer_learns_what_is_hidden"):
    """Shows the first card of seat 0 to everybody."""

    def public_view(self, state: State) -> Mapping[str, object]:
        return {**super().public_view(state), "best": max(state.hands[0], default=0)}


class OpenBid(Broken, law="no_viewer_learns_what_is_hidden"):
    """Shows whether a hidden bid is high."""

    def public_view(self, state: State) -> Mapping[str, object]:
        return {**super().public_view(state), "high": tuple(bid is not None and bid > 9 for bid in state.bids)}


class LoudDraw(Broken, law="no_viewer_learns_what_is_hidden"):
    """Tells everybody the drawn card, in an event that is flagged as revealing."""

    def drew(self, seat: int, card: int) -> Event:
        return Event(Drew(seat=seat, card=card), reveals=True)


class QuietDraw(Broken, law="no_viewer_learns_what_is_hidden"):
    """Draws without saying that it reveals."""

    def drew(self, seat: int, card: int) -> Event:
        return replace(super().drew(seat, card), reveals=False)


class LoudBid(Broken, law="no_viewer_learns_what_is_hidden"):
    """Tells of the first bids how they compare with the hands of the others."""

    def bid(self, state: State, seat: int, card: int) -> tuple[State, list[Event]]:
        best = all(card >= other for hand in state.hands for other in hand)
        after, events = super().bid(state, seat, card)
        return after, events or [Event(Rolled(seat=seat, dice=(int(best),)))]


class AnnouncedBid(Broken, law="choices_made_at_once_are_not_told"):
    """Tells everybody a bid as soon as it is made."""

    def bid(self, state: State, seat: int, card: int) -> tuple[State, list[Event]]:
        after, events = super().bid(state, seat, card)
        return after, events or [Event(Drew(seat=seat, card=card))]


class Telltale(Broken, law="no_viewer_learns_what_is_hidden"):
    """Names a hidden card in the text of a refusal."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        if isinstance(action, Play) and seat in self.deciding(state):
            owners = [owner for owner, hand in enumerate(state.hands) if set(action.cards) & set(hand)]
            if owners and owners != [seat]:
                raise IllegalAction(f"that card is in the hand of seat {owners[0]}")
        return super().apply(state, seat, action, dice)


class KnowingList(Broken, law="no_viewer_learns_what_is_hidden"):
    """Offers a draw only where the top card is high."""

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        actions = super().legal_actions(state, seat)
        low = bool(state.deck) and state.deck[-1] < 8
        return [action for action in actions if not (low and isinstance(action, Draw))]


class KnowingDefault(Broken, law="no_viewer_learns_what_is_hidden"):
    """Draws by default where the top card is high."""

    def default_action(self, state: State, seat: int) -> Action:
        if state.phase is Phase.TURN and state.deck and state.deck[-1] > 9:
            return Draw()
        return super().default_action(state, seat)


class KnowingScore(Broken, law="no_viewer_learns_what_is_hidden"):
    """Gives a point more to a pass where the top card is high."""

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after, events = super().carry_out(state, seat, action, dice)
        if isinstance(action, Pass) and state.deck and state.deck[-1] > 9:
            after = replace(after, scores=put(after.scores, seat, after.scores[seat] + 1))
        return after, events


class AllExcused(Broken, law="no_viewer_learns_what_is_hidden"):
    """Shows a hidden sum after every action, each flagged as revealing."""

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after, _ = super().carry_out(state, seat, action, dice)
        hidden = sum((place + 1) * card for place, card in enumerate(after.deck))
        after = replace(after, scores=put(after.scores, seat, hidden % 37))
        return after, [Event(Rolled(seat=seat, dice=()), reveals=True)]


class LostHand(Broken, law="no_viewer_learns_what_is_hidden"):
    """Resamples the viewer's own hand too."""

    def imagine(self, public: Any, private: Any, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        return super().imagine(public, None, seats, options, dice)


class Unmoved(Broken, law="resampling_moves_what_is_hidden"):
    """Hands back the state itself."""

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        return state


class HandsUnmoved(Broken, law="resampling_moves_what_is_hidden"):
    """Shuffles the deck, and leaves the hands as they are."""

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        return replace(state, deck=tuple(dice.shuffle(state.deck)))


class TwoWays(Broken, law="views_are_enough_to_imagine"):
    """Resamples in another way than it imagines."""

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        dice.below(2)
        return super().resample(state, seat, dice)


class WantsTuples(Broken, law="views_are_enough_to_imagine"):
    """Can't read a view as JSON brings it."""

    def imagine(self, public: Any, private: Any, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        state = super().imagine(public, private, seats, options, dice)
        return state if isinstance(public["table"], tuple) else replace(state, table=())


class TellingFlag(Broken, law="reveals_are_the_same_for_all"):
    """Says that a pass reveals where the top card is high: who may undo it knows."""

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after, events = super().carry_out(state, seat, action, dice)
        if isinstance(action, Pass):
            high = bool(state.deck) and state.deck[-1] > 9
            events = [*events, Event(Rolled(seat=seat, dice=()), reveals=high)]
        return after, events
