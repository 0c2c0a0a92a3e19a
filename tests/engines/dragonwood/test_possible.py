"""What `load` refuses, and what `imagine` makes of views: the states that can be, and no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from server.engines.dragonwood.actions import AttackWith, Discard
from server.engines.dragonwood.state import Attack, Dragons, EventInProgress, Options, Phase, State
from server.engines.dragonwood.steps.sets import spells
from server.engines.engine import with_turn
from tests.engines.dragonwood.scene import (
    ENGINE,
    act,
    adventurer,
    adventurers,
    attempt,
    dragonwood,
    faces,
    scene,
)
from tests.engines.play import dice

WOLVES = ("Pack of Wolves", "Fire Ants", "Crazy Bats", "Wild Boar", "Silver Sword")
DRAGON = ("Blue Dragon", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders")
SPIDERS = ("Spooky Spiders", "Fire Ants", "Crazy Bats", "Wild Boar", "Silver Sword")


def rerolling() -> State:
    start = scene(("R7 B7 P2", "P1"), WOLVES, before=[["Lucky Mushroom", "Lightning Bolt"]])
    return attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7 with Lightning Bolt", faces(1, 1))[0]


def playing() -> State:
    return act(scene(("R7 B7 P2", "P1"), WOLVES), AttackWith(dragonwood("Pack of Wolves"), Attack.STOMP, ()))[0]


def storming() -> State:
    start = scene(("R7 G7 O1 O2", "P1 P2"), SPIDERS, top=["Thunder Storm"])
    state, _ = attempt(start, Attack.STOMP, "Spooky Spiders", "R7 G7", faces(2, 2))
    return act(state, Discard(adventurer("O2")), seat=0)[0]


def sunny() -> State:
    hand = "R7 G7 O1 O2 O3 O4 O5 O6 O7"
    start = scene((hand, "B1 B2 B3 B4 B5 B6 B7 B8 B9"), SPIDERS, top=["Sunny Day"], draws=adventurers("P1 P2 P3 P4"))
    return attempt(start, Attack.STOMP, "Spooky Spiders", "R7 G7", faces(2, 2))[0]


def wounded() -> State:
    return attempt(scene(("R7 B7", "P1"), WOLVES), Attack.STOMP, "Pack of Wolves", "R7 B7", faces(1, 1))[0]


SCENES = {each.__name__: each for each in (scene, rerolling, playing, storming, sunny, wounded)}


@pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
def test_a_dump_is_read_back(make: Callable[[], State]) -> None:
    state = make()
    assert ENGINE.load(json.loads(json.dumps(ENGINE.dump(state)))) == state


def hand(state: State, seat: int, *cards: int) -> State:
    players = list(state.players)
    players[seat] = replace(players[seat], hand=cards)
    return replace(state, players=tuple(players))


def of_attempt(state: State, **fields: Any) -> State:
    assert state.attempt is not None
    return replace(state, attempt=replace(state.attempt, **fields))


def swapped(state: State, one: int, other: int) -> State:
    """The two Dragonwood cards in each other's places, wherever these are."""
    turn = {one: other, other: one}

    def each(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(turn.get(card, card) for card in cards)

    players = tuple(replace(player, enhancements=each(player.enhancements)) for player in state.players)
    places = {name: each(getattr(state, name)) for name in ("dragonwood", "landscape", "removed", "gone")}
    return replace(state, players=players, **places)


def full(state: State) -> State:
    """The landscape refilled by the next card of the deck."""
    return replace(state, dragonwood=state.dragonwood[:-1], landscape=(*state.landscape, state.dragonwood[-1]))


def captured(state: State, *creatures: int) -> State:
    """The creatures taken from the deck to seat 0."""
    players = (replace(state.players[0], creatures=creatures), *state.players[1:])
    return replace(state, players=players, dragonwood=tuple(card for card in state.dragonwood if card not in creatures))


def chosen(state: State, name: str, *choices: int | None) -> State:
    return replace(state, event=EventInProgress(dragonwood(name), choices))


S = scene()
BLUE, ORANGE, SWORD = map(dragonwood, ("Blue Dragon", "Orange Dragon", "Silver Sword"))
SPIDER, HIDDEN = S.landscape[0], S.removed[0]
QUICKSAND = dragonwood("Quicksand")
ARMED = scene(before=[["Silver Sword"]])
O1, P1, B1 = map(adventurer, ("O1", "P1", "B1"))
HELD_LADYBUG = replace(hand(S, 1, 60), adventurers=(*(card for card in S.adventurers if card != 60), P1))
BROKEN: list[tuple[str, State]] = [
    ("0 seats", replace(S, players=())),
    ("1 seats", replace(S, players=S.players[:1])),
    ("player in turn", replace(S, in_turn=1)),
    ("player in turn", replace(S, number=0)),
    ("run out so often", replace(S, ran_out=3)),
    ("run out so often", replace(S, ran_out=-1)),
    ("last turn is fixed", replace(S, ran_out=2)),
    ("last turn is fixed", replace(S, final_turn=3)),
    ("out of reach", replace(S, ran_out=2, final_turn=4)),
    ("out of reach", replace(S, ran_out=2, final_turn=2)),
    ("out of reach", replace(S, ran_out=2, final_turn=2, options=Options(last_turn_each=False))),
    ("adventurers in deck", replace(S, adventurers=S.adventurers[1:])),
    ("adventurers in deck", replace(S, discard=S.adventurers[:1])),
    ("adventurers in deck", hand(S, 1, 64)),
    ("ascending", hand(S, 0, *reversed(S.players[0].hand))),
    ("a Ladybug is never held", HELD_LADYBUG),
    ("Dragonwood cards are not", replace(S, dragonwood=S.dragonwood[1:])),
    ("Dragonwood cards are not", replace(S, gone=(HIDDEN,))),
    ("removed at set-up", replace(S, removed=S.removed[1:], gone=(HIDDEN,))),
    ("event never stays", swapped(S, SPIDER, QUICKSAND)),
    ("another kind", swapped(ARMED, SWORD, SPIDER)),
    ("creature never leaves", swapped(storming(), dragonwood("Thunder Storm"), dragonwood("Hungry Bear"))),
    ("too large", full(S)),
    ("not refilled", replace(S, landscape=S.landscape[1:], dragonwood=(*S.dragonwood, SPIDER))),
    ("dragon is never removed", swapped(S, BLUE, HIDDEN)),
    ("above the part", swapped(S, BLUE, S.dragonwood[-1])),
    ("after the last dragon", captured(S, BLUE, ORANGE)),
    ("in the phases play and reroll", replace(playing(), phase=Phase.TURN)),
    ("in the phases play and reroll", replace(S, phase=Phase.REROLL)),
    ("target of the attempt", of_attempt(playing(), target=BLUE)),
    ("does not follow", of_attempt(playing(), bonus=2)),
    ("does not follow", of_attempt(playing(), needed=1)),
    ("does not follow", of_attempt(playing(), rerolls=1)),
    ("does not follow", of_attempt(playing(), attack=Attack.SPELL)),
    ("does not follow", of_attempt(playing(), use=(dragonwood("Lightning Bolt"),))),
    ("does not follow", of_attempt(playing(), dice=(1,))),
    ("does not follow", of_attempt(rerolling(), dice=(4, 4))),
    ("does not follow", of_attempt(rerolling(), dice=(1,))),
    ("does not follow", of_attempt(rerolling(), dice=(1, 5))),
    ("does not follow", of_attempt(rerolling(), rerolls=0)),
    ("does not follow", replace(rerolling(), phase=Phase.PLAY)),
    ("no event is in progress", replace(S, phase=Phase.EVENT)),
    ("waits for decisions", replace(full(storming()), phase=Phase.TURN)),
    ("not been turned up", chosen(storming(), "Sunny Day", O1, None)),
    ("not been turned up", replace(storming(), event=EventInProgress(-1, (O1, None)))),
    ("other decisions", replace(storming(), phase=Phase.HAND_LIMIT)),
    ("other decisions", replace(sunny(), phase=Phase.EVENT)),
    ("while the landscape is refilled", full(storming())),
    ("one choice per seat", chosen(storming(), "Thunder Storm", None)),
    ("in a storm only", chosen(sunny(), "Sunny Day", None, B1)),
    ("owner's hand", chosen(storming(), "Thunder Storm", None, O1)),
    ("all have chosen", chosen(storming(), "Thunder Storm", O1, P1)),
    ("in the phase hand_limit", replace(S, phase=Phase.HAND_LIMIT)),
    ("without its end", replace(S, phase=Phase.OVER)),
]


@pytest.mark.parametrize(("what", "state"), BROKEN, ids=[f"{i} {what}" for i, (what, _) in enumerate(BROKEN)])
def test_a_state_that_no_game_reaches_is_refused(what: str, state: State) -> None:
    with pytest.raises(ValueError, match=what):
        ENGINE.load(ENGINE.dump(state))


def test_a_hand_out_of_turn_is_not_over_the_limit() -> None:
    ten = adventurers("B1 B2 B3 B4 B5 B6 B7 B8 B9 B10")
    state = scene(("", "P1"))
    more = replace(hand(state, 0, *ten), adventurers=tuple(card for card in state.adventurers if card not in ten))
    with pytest.raises(ValueError, match="hand out of turn"):
        ENGINE.load(ENGINE.dump(replace(more, phase=Phase.HAND_LIMIT, number=2, in_turn=1)))
    assert ENGINE.load(ENGINE.dump(replace(more, phase=Phase.HAND_LIMIT))).in_turn == 0


def test_an_empty_hand_has_no_wound() -> None:
    state = wounded()
    empty = replace(hand(state, 0), adventurers=(*state.adventurers, *state.players[0].hand))
    with pytest.raises(ValueError, match="without cards"):
        ENGINE.load(ENGINE.dump(empty))


@pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_what_is_imagined_looks_the_same_and_hides_something_else(
    make: Callable[[], State], viewer: int | None
) -> None:
    state = make()
    twins = [ENGINE.resample(state, viewer, dice(seed, 2)) for seed in range(5)]
    for twin in twins:
        assert ENGINE.public_view(twin) == ENGINE.public_view(state)
        if viewer is not None:
            assert ENGINE.private_view(twin, viewer) == ENGINE.private_view(state, viewer)
    assert len({twin.adventurers for twin in twins}) == 5
    assert len({twin.removed for twin in twins}) > 1


def test_who_announced_a_spell_is_imagined_to_hold_one() -> None:
    state, _ = act(scene(("G4 G5 G6", "P1"), DRAGON), AttackWith(BLUE, Attack.SPELL, ()))
    hands = {ENGINE.resample(state, viewer, dice(seed, 2)).players[0].hand for viewer in (1, None) for seed in range(5)}
    assert all(spells(ENGINE.components, cards) for cards in hands)
    assert len(hands) > 2
    assert ENGINE.resample(state, 0, dice(1, 2)).players[0].hand == adventurers("G4 G5 G6")


@pytest.mark.parametrize("dragons", Dragons)
def test_dragons_are_imagined_where_they_can_lie(dragons: Dragons) -> None:
    state = ENGINE.new(4, Options(dragons=dragons), dice(7, 4))
    places = {
        twin.dragonwood.index(dragon)
        for twin in (ENGINE.resample(state, None, dice(seed, 4)) for seed in range(40))
        for dragon in (BLUE, ORANGE)
        if dragon in twin.dragonwood
    }
    assert (max(places) < 18) is (dragons is Dragons.BOTTOM_HALF)


def views(state: State, seat: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    public = json.loads(json.dumps(with_turn(ENGINE.public_view(state), ENGINE.turn(state))))
    return public, {**json.loads(json.dumps(ENGINE.private_view(state, seat))), "seat": seat}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dragonwood_deck", 3),
        ("dragonwood_deck", 30),
        ("adventurer_deck", 1),
        ("discard", [3]),
        ("phase", "play"),
        ("phase", "nap"),
        ("number", 0),
        ("seats", []),
        ("last_turns", 2),
        ("landscape", []),
    ],
)
def test_views_that_no_state_has_are_refused(key: str, value: object) -> None:
    public, private = views(scene())
    assert ENGINE.imagine(public, private, 2, Options(), dice(1, 2)).players[0].hand == scene().players[0].hand
    with pytest.raises(ValueError, match=r"\w"):
        ENGINE.imagine({**public, key: value}, private, 2, Options(), dice(1, 2))


def test_private_views_that_no_state_has_are_refused() -> None:
    public, private = views(storming())
    for changes in ({"hand": [1]}, {"choice": 1}, {"choice": None}, {"seat": 1}, {"seat": 2}, {"seat": -1}):
        with pytest.raises(ValueError, match=r"\w"):
            ENGINE.imagine(public, {**private, **changes}, 2, Options(), dice(1, 2))
    with pytest.raises(ValueError, match="another number of seats"):
        ENGINE.imagine(public, private, 3, Options(), dice(1, 2))
    public["seats"][0]["hand"] = 0
    with pytest.raises(ValueError, match="an empty hand has chosen"):
        ENGINE.imagine(public, None, 2, Options(), dice(1, 2))


def test_a_spell_that_nobody_can_hold_is_not_imagined() -> None:
    state, _ = act(scene(("G4 G5 G6", "P1"), DRAGON), AttackWith(BLUE, Attack.SPELL, ()))
    public, _ = views(state)
    public["discard"] = [card for card in range(60) if card % 12 in (1, 4, 7, 10)]
    with pytest.raises(ValueError, match="no cards are left"):
        ENGINE.imagine(public, None, 2, Options(), dice(1, 2))
