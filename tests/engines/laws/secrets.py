"""The law of non-interference: what a viewer gets depends on nothing that the viewer may not know.

For a viewer V (a seat, or None: a spectator) and a state s, `resample` gives a state s' that looks the same to V and
hides something else. Then:

1. s and s' look the same: views, turn, deciding seats, V's list and default action, the texts of V's refusals.
2. After the same action, taken where it is legal in both, with the same dice, V gets the same again, unless an event
   says that it reveals. Such excuses are counted, and bounded.
3. No excuse: where V's views agree after the action, the events that V was given agree too. An event tells V nothing
   that V's views, before or after, don't bear out.

To V, views, lists and events are bytes: their JSON is compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec

from server.engines.dice import Dice
from server.engines.engine import Action, Event, IllegalAction, with_turn
from tests.engines.laws import Game, demand, other_dice, pool, refusal
from tests.engines.play import Step, digest, mutated, parts
from tests.engines.play import as_map as wire

MOST_EXCUSED = 0.35  # of the comparisons after an action
FEWEST_COMPARED = 0.3  # of the actions tried: the rest is not legal in the other state
FEWEST_MOVED = 0.3  # of the resampled states that must differ from the state they stand for
Viewer = int | None


@dataclass
class Count:
    """How often an action was tried on a state and its twin, compared, excused by an event that reveals."""

    tried: int = 0
    compared: int = 0
    excused: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)


def seen(game: Game, state: Any, viewer: Viewer) -> dict[str, bytes]:
    """All that the viewer can see of a state, as bytes."""
    engine = game.engine
    sights: dict[str, Any] = {
        "public view": engine.public_view(state),
        "turn": engine.turn(state),
        "deciding seats": engine.deciding(state),
        "result": engine.result(state),
    }
    if viewer is not None:
        sights["private view"] = engine.private_view(state, viewer)
        sights["legal actions"] = engine.legal_actions(state, viewer)
        if viewer in engine.deciding(state):
            sights["default action"] = engine.default_action(state, viewer)
    return {name: msgspec.json.encode(sight) for name, sight in sights.items()}


def told(events: Any, viewer: Viewer) -> bytes:
    """The events as the viewer gets them, as bytes."""
    forms = [event.form_for(viewer) for event in events]
    return msgspec.json.encode([form for form in forms if form is not None])


def viewers(game: Game) -> list[Viewer]:
    """Everybody who looks on: each seat, and a spectator."""
    return [*range(game.seats), None]


def no_viewer_learns_what_is_hidden(game: Game) -> None:
    """The law of this module, at few steps of the game, for every viewer."""
    count = Count()
    others, random = pool(game), Random(game.seed)
    for step in game.few(40):
        for viewer in viewers(game):
            twin = game.engine.resample(step.before, viewer, other_dice(step.number))
            _look_the_same(game, step.before, twin, viewer)
            if viewer is not None:
                _refusals_read_the_same(game, step, twin, viewer, _tries(game, step, viewer, others, random))
            _stay_the_same(game, step, twin, viewer, count)
    share = f"{count}"
    demand(count.compared >= FEWEST_COMPARED * count.tried, "too few actions are legal in both states", share)
    demand(count.excused <= MOST_EXCUSED * count.compared, "too many differences are excused", share)


def _look_the_same(game: Game, state: Any, twin: Any, viewer: Viewer) -> None:
    _agree(seen(game, state, viewer), seen(game, twin, viewer), f"to {viewer}, a resampled state looks different")


def _agree(first: dict[str, bytes], second: dict[str, bytes], what: str, *about: object) -> None:
    for name in first.keys() | second.keys():
        a, b = first.get(name), second.get(name)
        demand(a == b, f"{what}: {name}", a, b, *about)


def _tries(game: Game, step: Step, viewer: int, others: list[Action], random: Random) -> list[Action]:
    """What the viewer might try: actions of other moments, and some that are almost legal."""
    tries = random.sample(others, min(5, len(others)))
    values = [value for action in tries for value in parts(wire(action))]
    for action in (step.action, *random.sample(others, min(3, len(others)))):
        try:
            tries.append(msgspec.convert(mutated(wire(action), random, values), game.engine.actions))
        except msgspec.ValidationError:
            continue
    return tries


def _refusals_read_the_same(game: Game, step: Step, twin: Any, viewer: int, tries: list[Action]) -> None:
    for action in tries:
        texts = [refusal(game.engine, state, viewer, action, game.dice(step)) for state in (step.before, twin)]
        demand(texts[0] == texts[1], f"to seat {viewer}, a refusal reads different", action, *texts)


def _stay_the_same(game: Game, step: Step, twin: Any, viewer: Viewer, count: Count) -> None:
    """The step's action and one that is legal in both states, by whoever decides, lead to the same for the viewer."""
    engine = game.engine
    for seat in engine.deciding(step.before):
        actions = list(engine.legal_actions(twin, seat))
        both = [action for action in engine.legal_actions(step.before, seat) if action in actions]
        count.tried += 1
        if seat == step.seat and step.action in both:
            chosen = [step.action]
        elif both:
            chosen = [Random(step.number).choice(both)]
        else:
            continue
        for action in chosen:
            count.compared += 1
            _compare(game, step, twin, (viewer, seat, action), count)


def _compare(game: Game, step: Step, twin: Any, about: tuple[Viewer, int, Action], count: Count) -> None:
    viewer, seat, action = about
    outcomes = [_after(game, state, seat, action, game.dice(step)) for state in (step.before, twin)]
    (state, events), (other, other_events) = outcomes
    sights = seen(game, state, viewer), seen(game, other, viewer)
    forms = told(events, viewer), told(other_events, viewer)
    if sights[0] == sights[1]:
        demand(forms[0] == forms[1], f"an event tells {viewer} what its views don't", action, *forms)
        _same_begin(game, (step.before, state), (twin, other), viewer)
    elif any(event.reveals for event in (*events, *other_events)):
        count.excused += 1
        kind = type(action).__name__
        count.by_kind[kind] = count.by_kind.get(kind, 0) + 1
    else:
        _agree(*sights, f"{viewer} learns something, and no event reveals", action)


def _same_begin(game: Game, first: tuple[Any, Any], second: tuple[Any, Any], viewer: Viewer) -> None:
    """The entry at which a seat's decision began is in the state document: it begins anew in both or in neither."""
    engine = game.engine
    for seat in engine.deciding(first[0]):
        if seat in engine.deciding(first[1]):
            new = [engine.decision(old, seat) != engine.decision(now, seat) for old, now in (first, second)]
            demand(new[0] == new[1], f"to {viewer}, the decision of seat {seat} begins at another entry")


def _after(game: Game, state: Any, seat: int, action: Action, stream: Dice) -> tuple[Any, Any]:
    try:
        return game.engine.apply(state, seat, action, stream)
    except IllegalAction as error:
        demand(False, "a listed action is refused", action, error.rule)
    raise AssertionError


def choices_made_at_once_are_not_told(game: Game) -> None:
    """Of a choice that others are still to make too, the events tell a viewer no more than the views show.

    If a seat's two possible choices look the same to V, they sound the same to V. (The law above can't see that: the
    action is the same in both of its states.) Where views show the choice, it is open by the rules of the game.
    """
    engine = game.engine
    at_once = [step for step in game.steps if len(engine.deciding(step.before)) > 1]
    for step in at_once[:60]:
        for other in engine.legal_actions(step.before, step.seat)[:4]:
            state, events = _after(game, step.before, step.seat, other, game.dice(step))
            for viewer in viewers(game):
                if viewer != step.seat and seen(game, state, viewer) == seen(game, step.after, viewer):
                    forms = told(step.events, viewer), told(events, viewer)
                    demand(forms[0] == forms[1], f"{viewer} hears of a choice that is hidden", step.action, *forms)


def resampling_moves_what_is_hidden(game: Game) -> None:
    """A resampled state differs from its model often, and so do the private views of the other seats in it.

    Without this, `resample` could hand back the state itself, and the law above would compare nothing.
    """
    steps = game.few(40)
    moved = 0
    hands: set[bytes] = set()
    strangers = 0
    for step in steps:
        twin = game.engine.resample(step.before, None, other_dice(step.number))
        moved += digest(twin) != digest(step.before)
        for seat in range(game.seats):
            before, after = (game.engine.private_view(state, seat) for state in (step.before, twin))
            hands.add(msgspec.json.encode(before))
            strangers += before != after
    demand(moved >= FEWEST_MOVED * len(steps), f"{moved} of {len(steps)} resampled states differ from their model")
    demand(strangers or len(hands) < 10, "private views are the same in every resampled state")


def views_are_enough_to_imagine(game: Game) -> None:
    """`imagine` from views as a client has them gives what `resample` gives, a possible state, and a playable one."""
    engine = game.engine
    steps = game.few(12)
    for step in steps:
        for viewer in viewers(game):
            public = _as_client(with_turn(engine.public_view(step.before), engine.turn(step.before)))
            private = None
            if viewer is not None:
                private = {"seat": viewer, **_as_client(engine.private_view(step.before, viewer))}
            imagined = engine.imagine(public, private, game.seats, game.options, other_dice(step.number))
            again = engine.resample(step.before, viewer, other_dice(step.number))
            demand(digest(imagined) == digest(again), f"`resample` for {viewer} is not `imagine` from its views")
            demand(engine.load(engine.dump(imagined)) == imagined, "an imagined state is not loaded back")
            if game.conservation:
                game.conservation.check(imagined)
    _play_on(game, steps[len(steps) // 2])


def _as_client(view: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(view))


def _play_on(game: Game, step: Step) -> None:
    """Plays an imagined state to the end of the game."""
    engine, stream, random = game.engine, other_dice(game.seed), Random(game.seed)
    public = _as_client(with_turn(engine.public_view(step.before), engine.turn(step.before)))
    state = engine.imagine(public, None, game.seats, game.options, stream)
    for _ in range(20 * len(game.steps) + 200):
        deciding = engine.deciding(state)
        if not deciding:
            demand(engine.result(state), "an imagined game ends without a result")
            return
        seat = random.choice(deciding)
        state, _ = engine.apply(state, seat, random.choice(engine.legal_actions(state, seat)), stream)
    demand(False, "an imagined game does not end")


def reveals_are_the_same_for_all(game: Game) -> None:
    """Whether an action of a seat can be undone tells that seat nothing hidden, unless it was told already."""
    for step in game.few(40):
        twin = game.engine.resample(step.before, step.seat, other_dice(step.number))
        if step.action not in game.engine.legal_actions(twin, step.seat):
            continue
        state, events = _after(game, twin, step.seat, step.action, game.dice(step))
        if seen(game, state, step.seat) == seen(game, step.after, step.seat):
            flags = [_reveals(each) for each in (step.events, events)]
            demand(flags[0] == flags[1], f"whether {step.action} can be undone depends on what is hidden")


def _reveals(events: Any) -> bool:
    return any(event.reveals for event in events if isinstance(event, Event))


LAWS = (
    no_viewer_learns_what_is_hidden,
    choices_made_at_once_are_not_told,
    resampling_moves_what_is_hidden,
    views_are_enough_to_imagine,
    reveals_are_the_same_for_all,
)
