"""Laws of play: who may do what, the same seed the same game, dice and events, the end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import Any

import msgspec

from server.engines.engine import Action, Event, EventBody, IllegalAction, Result
from tests.engines.laws import Broken, Game, demand, one_of_each, pool, refusal, steps
from tests.engines.play import MOST_STEPS, Step, as_map, dice, digest, mutated, parts

MOST_ACTIONS = 2_000  # of one list: protocol section 5


def same_seed_same_game(game: Game) -> None:
    """Played again from its seed, a game has the same actions, events, dice and states.

    Of a game that a policy played, which takes its time, only the beginning is played again.
    """
    known = game.steps[:30] if game.policy else game.steps
    again = list(islice(steps(game), len(known) + 1 if known is game.steps else len(known)))
    for old, new in zip(known, again, strict=False):
        demand(old == new, "the same seed gave another game", *_difference(old, new))
    demand(len(known) == len(again), "the same seed gave a game of another length")


def _difference(old: Step, new: Step) -> list[str]:
    return [f"{name}: {a!r} / {b!r}" for name, a, b in zip(old._fields, old, new, strict=True) if a != b]


def the_journal_gives_the_same_states(game: Game) -> None:
    """The actions, read back from the wire, lead from the seed to states of equal digests, with equal words."""
    engine, stream = game.engine, dice(game.seed, game.seats)
    state = engine.new(game.seats, game.options, stream)
    for step in game.steps:
        demand(digest(state) == digest(step.before), f"replayed, step {step.number} starts from another state")
        action = msgspec.convert(json.loads(json.dumps(as_map(step.action))), engine.actions)
        demand(action == step.action, "an action changes on its way over the wire", step.action, action)
        state, _ = engine.apply(state, step.seat, action, stream)
        demand(stream.words == step.words[1], f"replayed, step {step.number} takes other words from the dice")
    demand(digest(state) == digest(game.last), "replayed, the game ends in another state")


def listed_actions_apply(game: Game) -> None:
    """Every action on the list of every deciding seat is taken, and leads to a state that goes on or is over."""
    engine = game.engine
    for step in game.few(30):
        for seat in engine.deciding(step.before):
            actions = engine.legal_actions(step.before, seat)
            for action in Random(step.number).sample(actions, min(25, len(actions))):
                try:
                    state, _ = engine.apply(step.before, seat, action, game.dice(step))
                except IllegalAction as error:
                    raise Broken(f"a listed action is refused: {action}: {error.rule}") from error
                over = engine.result(state) is not None
                demand(over != bool(engine.deciding(state)), "nobody decides and there is no result, or both", action)


def nothing_else_applies(game: Game) -> None:
    """Actions that are almost right, those of other moments and of other seats are refused, and change nothing."""
    engine, random = game.engine, Random(game.seed)
    others = pool(game)
    values = [value for action in others for value in parts(as_map(action))]
    for step in game.few(100):
        state, stream = step.before, game.dice(step)
        for seat in engine.deciding(state):
            listed = list(engine.legal_actions(state, seat))
            tries = [*one_of_each(others, random), *random.sample(others, min(8, len(others)))]
            for action in [*tries, *_almost(engine, listed, random, values)]:
                taken = refusal(engine, state, seat, action, stream.fork()) is None
                demand(taken == (action in listed), "an action off the list is taken, or one on it refused", action)


def _almost(engine: Any, listed: Sequence[Action], random: Random, values: Sequence[Any]) -> list[Action]:
    """Changed actions that are still actions by their form."""
    almost = []
    for _ in range(12):
        changed = mutated(as_map(random.choice(listed)), random, values)
        try:
            almost.append(msgspec.convert(changed, engine.actions))
        except msgspec.ValidationError:
            continue
    return almost


def the_decoder_takes_no_malformed_action(game: Game) -> None:
    """A parameter more, one of another type or no type at all is refused before the rules see it."""
    for action in pool(game):
        form = as_map(action)
        for wrong in ({**form, "extra": 0}, {name: form[name] for name in form if name != "type"}, {"type": "?"}):
            try:
                msgspec.convert(wrong, game.engine.actions)
            except msgspec.ValidationError:
                continue
            raise Broken(f"a malformed action is taken: {wrong}")


def only_deciding_seats_act(game: Game) -> None:
    """A deciding seat has an action; another has none and is refused whatever it tries; after the end nobody acts."""
    engine = game.engine
    for step in game.few(150):
        deciding = engine.deciding(step.before)
        demand(list(deciding) == sorted(set(deciding)), "deciding seats are not ascending", deciding)
        demand(set(deciding) <= set(range(game.seats)), "a seat decides that is not there", deciding)
        for seat in range(game.seats):
            actions = engine.legal_actions(step.before, seat)
            demand(bool(actions) == (seat in deciding), f"seat {seat} has {len(actions)} actions", deciding)
            if seat not in deciding:
                took = refusal(engine, step.before, seat, step.action, game.dice(step)) is None
                demand(not took, f"seat {seat} acts while {deciding} decide", step.action)
    for seat in range(game.seats):
        demand(not engine.legal_actions(game.last, seat), f"seat {seat} has actions after the end")
        for action in pool(game):
            took = refusal(engine, game.last, seat, action, dice(game.seed, game.seats)) is None
            demand(not took, f"seat {seat} acts after the end", action)


def there_is_a_result_when_nobody_decides(game: Game) -> None:
    """The result is None exactly while somebody decides; scores, ranks and reason are of the right form."""
    engine = game.engine
    for step in game.steps:
        demand(engine.deciding(step.before), f"nobody decides before step {step.number}")
        demand(engine.result(step.before) is None, f"there is a result before step {step.number}")
    demand(not engine.deciding(game.last), "somebody decides after the end")
    result = engine.result(game.last)
    if result is None:
        raise Broken("a game without a result")
    demand(type(result) is Result and result.reason.isidentifier(), "the reason is no identifier", result)
    demand(len(result.scores) == len(result.ranks) == game.seats, "not one score and rank a seat", result)
    fitting = tuple(1 + sum(other < rank for other in result.ranks) for rank in result.ranks)
    demand(result.ranks == fitting, "a rank is not 1 + the number of seats that are better", result)


def turns_are_counted(game: Game) -> None:
    """The number of the turn begins with 1 and never falls; the phase is `over` exactly at the end."""
    numbers = [game.engine.turn(step.before) for step in game.steps]
    demand(numbers[0][0] == 1, "the first turn is not number 1", numbers[0])
    for (old, _), (new, _) in zip(numbers, [*numbers[1:], game.engine.turn(game.last)], strict=True):
        demand(old <= new, f"turn {old} is followed by turn {new}")
    demand(all(phase != "over" for _, phase in numbers), "the phase is `over` before the end")
    demand(game.engine.turn(game.last)[1] == "over", "the phase at the end is not `over`", game.engine.turn(game.last))


def lists_are_short_and_without_doubles(game: Game) -> None:
    """No list holds an action twice or more than 2,000; the default action is on it; a second look is the same."""
    engine = game.engine
    for step in game.steps if game.share >= 1 else game.few(300):
        for seat in engine.deciding(step.before):
            actions = engine.legal_actions(step.before, seat)
            demand(len(actions) <= MOST_ACTIONS, f"a list of {len(actions)} actions")
            wire = {msgspec.json.encode(action) for action in actions}
            demand(len(wire) == len(actions), "a list holds an action twice", actions)
            default = engine.default_action(step.before, seat)
            demand(default in actions, "the default action is not legal", default)
            demand(list(actions) == list(engine.legal_actions(step.before, seat)), "a list changes by looking at it")


def decisions_are_told_apart(game: Game) -> None:
    """After a seat's action its decision is another one; what others do meanwhile leaves it, and its list, as it is."""
    engine = game.engine
    for step in game.steps:
        still = set(engine.deciding(step.before)) & set(engine.deciding(step.after))
        for seat in still:
            same = engine.decision(step.before, seat) == engine.decision(step.after, seat)
            demand(hash(engine.decision(step.after, seat)) is not None, "a decision has no hash")
            demand(same == (seat != step.seat), f"seat {seat}: its decision is{'' if same else ' not'} the same", step)
            if same:
                lists = [list(engine.legal_actions(state, seat)) for state in (step.before, step.after)]
                demand(lists[0] == lists[1], f"seat {seat}: one decision, two lists", step.action)


def dice_reveal(game: Game) -> None:
    """An action that moved the dice has an event that says so."""
    for step in game.steps:
        moved = step.words[0] != step.words[1]
        demand(not moved or any(event.reveals for event in step.events), "dice without `reveals`", step.action)


def events_are_well_formed(game: Game) -> None:
    """Every form of an event is one of the published kinds and survives the wire; its seats are seats, each once."""
    kinds: set[type] = set()
    for step in game.steps:
        for event in step.events:
            demand(type(event) is Event, "not an Event", event)
            owners = [seat for seat, _ in event.private]
            demand(sorted(set(owners)) == sorted(owners), "two forms for one seat", event)
            demand(set(owners) <= set(range(game.seats)), "a form for a seat that is not there", event)
            for body in [event.public, *(body for _, body in event.private)]:
                if body is not None:
                    kinds.add(type(body))
                    _is_published(game, body)
    demand(kinds, "a whole game without an event")


def _is_published(game: Game, body: EventBody) -> None:
    try:
        again = msgspec.convert(as_map(body), game.engine.events)
    except msgspec.ValidationError as error:
        raise Broken(f"not one of the published events: {body}: {error}") from error
    demand(again == body and type(again) is type(body), "an event changes over the wire", body)


def defaults_end_the_game(game: Game) -> None:
    """Seats that the server plays come to an end of the game too."""
    engine, stream = game.engine, dice(game.seed, game.seats)
    state = engine.new(game.seats, game.options, stream)
    for _ in range(MOST_STEPS):
        deciding = engine.deciding(state)
        if not deciding:
            return
        seat = deciding[-1]
        state, _ = engine.apply(state, seat, engine.default_action(state, seat), stream)
    raise Broken(f"default actions alone do not end the game in {MOST_STEPS} steps")


LAWS = (
    same_seed_same_game,
    the_journal_gives_the_same_states,
    listed_actions_apply,
    nothing_else_applies,
    the_decoder_takes_no_malformed_action,
    only_deciding_seats_act,
    there_is_a_result_when_nobody_decides,
    turns_are_counted,
    lists_are_short_and_without_doubles,
    decisions_are_told_apart,
    dice_reveal,
    events_are_well_formed,
    defaults_end_the_game,
)
