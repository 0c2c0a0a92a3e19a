"""Which states are possible: what `load` refuses, and says why.

Each check yields what is wrong; the first complaint is the reason that is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import EventInProgress, Phase, Player, State
from server.engines.dragonwood.steps.attempt import possible_attempt
from server.engines.dragonwood.steps.ending import dragons_captured
from server.engines.dragonwood.steps.hand_limit import over_limit
from server.engines.dragonwood.steps.set_up import lower_part
from server.engines.dragonwood.steps.storm import choosing


def check(components: Components, state: State) -> None:
    """Refuse a state that no game can reach.

    Raises:
        ValueError: says what is wrong.
    """
    for complaint in _complaints(components, state):
        raise ValueError(f"not a possible state: {complaint}")


def _complaints(components: Components, state: State) -> Iterator[str]:
    yield from _seats_and_turns(components, state)
    yield from _adventurers(components, state)
    yield from _dragonwood(components, state)
    yield from _dragons(components, state)
    yield from _attempt(components, state)
    yield from _event(components, state)
    yield from _phase(components, state)


def _seats_and_turns(components: Components, state: State) -> Iterator[str]:
    seats = len(state.players)
    if seats not in components.seats:
        yield f"{seats} seats"
    if state.number < 1 or state.in_turn != (state.number - 1) % seats:
        yield "the player in turn does not follow from the number of the turn"
    if not 0 <= state.ran_out <= components.printed.decks_until_end:
        yield "the deck can't have run out so often"
    if (state.final_turn is not None) != (state.ran_out == components.printed.decks_until_end):
        yield "the last turn is fixed exactly when the deck has run out for the last time"
    if state.final_turn is not None:
        more = seats if state.options.last_turn_each else 0
        if not max(state.number, 1 + more) <= state.final_turn <= state.number + more:
            yield "the last turn is out of reach"


def _adventurers(components: Components, state: State) -> Iterator[str]:
    hands = [player.hand for player in state.players]
    table = state.attempt.cards if state.attempt else ()
    everything = sorted(chain(state.adventurers, state.discard, table, *hands))
    if everything != list(range(components.adventurers)):
        yield "the adventurers in deck, discard pile, hands and on the table are not all of them, once each"
    if any(list(hand) != sorted(hand) for hand in hands):
        yield "a hand is not in ascending order"
    if any(card >= components.first_ladybug for card in chain(table, *hands)):
        yield "a Ladybug is never held"


def _dragonwood(components: Components, state: State) -> Iterator[str]:
    open_cards = [(*player.enhancements, *player.creatures) for player in state.players]
    everything = sorted(chain(state.dragonwood, state.landscape, state.removed, state.gone, *open_cards))
    if everything != list(range(len(components.cards))):
        yield "the Dragonwood cards are not all there, once each"
    if len(state.removed) != components.printed.removed[len(state.players)]:
        yield "another number of cards is removed at set-up"
    if any(components.event(card) is not None for card in state.landscape):
        yield "an event never stays in the landscape"
    if any(not _holds_its_kind(components, player) for player in state.players):
        yield "a player's enhancements or creatures are cards of another kind"
    if any(components.creature(card) is not None for card in state.gone):
        yield "a creature never leaves the game"
    size = components.printed.landscape
    if len(state.landscape) > size:
        yield "the landscape is too large"
    refilling = state.phase in (Phase.HAND_LIMIT, Phase.EVENT) and state.event is not None
    if len(state.landscape) < size and state.dragonwood and not refilling and state.phase is not Phase.OVER:
        yield "the landscape is not refilled"


def _holds_its_kind(components: Components, player: Player) -> bool:
    return all(components.enhancement(card) is not None for card in player.enhancements) and all(
        components.creature(card) is not None for card in player.creatures
    )


def _dragons(components: Components, state: State) -> Iterator[str]:
    if any(dragon in state.removed for dragon in components.dragons):
        yield "a dragon is never removed at set-up"
    low = lower_part(components, len(state.players), state.options)
    if any(dragon in state.dragonwood[low:] for dragon in components.dragons):
        yield "a dragon lies above the part of the deck it was shuffled into"
    if dragons_captured(components, state) and state.phase is not Phase.OVER:
        yield "the game goes on after the last dragon"


def _attempt(components: Components, state: State) -> Iterator[str]:
    attempt = state.attempt
    if (attempt is not None) != (state.phase in (Phase.PLAY, Phase.REROLL)):
        yield "an attempt is in progress exactly in the phases play and reroll"
    if attempt is None:
        return
    if attempt.target not in state.landscape:
        yield "the target of the attempt is not in the landscape"
    elif not possible_attempt(components, state, attempt):
        yield "the attempt does not follow from its attack"


def _event(components: Components, state: State) -> Iterator[str]:
    event = state.event
    if event is None:
        if state.phase is Phase.EVENT:
            yield "no event is in progress"
        return
    if state.phase not in (Phase.EVENT, Phase.HAND_LIMIT):
        yield "an event in progress waits for decisions"
    if event.card not in state.gone or (card := components.event(event.card)) is None:
        yield "the event in progress has not been turned up"
    elif bool(card.draw) != (state.phase is Phase.HAND_LIMIT) or card.removes:
        yield "the event in progress asks for other decisions"
    if len(state.landscape) >= components.printed.landscape:
        yield "an event is turned up while the landscape is refilled only"
    yield from _choices(state, event)


def _choices(state: State, event: EventInProgress) -> Iterator[str]:
    if len(event.choices) != len(state.players):
        yield "there is not one choice per seat"
        return
    chosen = [(player, card) for player, card in zip(state.players, event.choices, strict=True) if card is not None]
    if chosen and state.phase is not Phase.EVENT:
        yield "choices are made in a storm only"
    if any(card not in player.hand for player, card in chosen):
        yield "a chosen card is not in its owner's hand"
    if state.phase is Phase.EVENT and not choosing(state):
        yield "all have chosen"


def _phase(components: Components, state: State) -> Iterator[str]:
    over = over_limit(components, state)
    if (over is not None) != (state.phase is Phase.HAND_LIMIT):
        yield "hands are over the limit exactly in the phase hand_limit"
    elif over is not None and state.event is None and over != state.in_turn:
        yield "a hand out of turn is over the limit"
    if state.phase is Phase.WOUND and not state.players[state.in_turn].hand:
        yield "a wound without cards"
    if state.phase is Phase.OVER and not dragons_captured(components, state) and state.number != state.final_turn:
        yield "the game is over without its end"
