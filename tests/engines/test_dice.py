"""The stream of chance: against a second reading of the protocol, against fixed figures, and for fairness."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import islice, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.engines.dice import WORD, Dice, commitment, stream_key

SEED = bytes(range(32))
ENTROPY = [b"\x01" * 32, None, bytes(reversed(range(32)))]
KEY = stream_key(SEED, ENTROPY)


def mac(key: bytes, message: bytes) -> bytes:
    """HMAC by RFC 2104, without the library's; keys here are shorter than a block."""
    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in padded) + inner).digest()


def words(key: bytes) -> Iterator[int]:
    """The stream's words by protocol section 4."""
    block = 0
    while True:
        digest = mac(key, block.to_bytes(8, "big"))
        yield from (int.from_bytes(digest[place : place + 4], "big") for place in range(0, 32, 4))
        block += 1


def drawn(stream: Iterator[int], n: int) -> int:
    """below(n) by protocol section 4."""
    for word in stream:
        if word < 2**32 // n * n:
            return word % n
    raise AssertionError


def test_fixed_figures() -> None:
    assert commitment(SEED).hex() == "2a06140731d753bb25dbe328583b3b7f648dc764c3ac79cc6f9b35758a1d888d"
    assert KEY.hex() == "c5ab94a6ace828656d5e2e704b60e95055b60b0d3cc7360a54e941cd3d1c8ae2"
    dice = Dice(KEY)
    assert [dice.below(6) for _ in range(20)] == [5, 1, 2, 4, 0, 0, 0, 3, 1, 3, 3, 2, 4, 3, 0, 0, 0, 4, 3, 3]
    assert dice.shuffle(range(10)) == [8, 5, 7, 4, 6, 1, 0, 3, 2, 9]
    assert dice.words == 29


def test_the_commitment_is_a_hash_of_the_seed_and_its_label() -> None:
    assert commitment(SEED) == hashlib.sha256(b"pharos-v1-commit" + SEED).digest()


def test_the_key_is_made_of_the_seed_and_everybodys_entropy() -> None:
    assert mac(SEED, b"pharos-v1-stream" + b"\x01" * 32 + bytes(32) + bytes(reversed(range(32)))) == KEY
    assert stream_key(SEED, [None, None]) == stream_key(SEED, [bytes(32), bytes(32)])
    assert stream_key(SEED, [None, None]) != stream_key(SEED, [None])
    assert stream_key(SEED, ENTROPY) != stream_key(SEED, ENTROPY[::-1])


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(1, 2**32), min_size=1, max_size=60))
def test_draws_are_those_of_the_protocol(seed: bytes, sizes: list[int]) -> None:
    key = stream_key(seed, [None])
    dice, stream = Dice(key), words(key)
    assert [dice.below(n) for n in sizes] == [drawn(stream, n) for n in sizes]


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(), max_size=40))
def test_shuffles_are_those_of_the_protocol(seed: bytes, items: list[int]) -> None:
    key = stream_key(seed, [None])
    expected, stream = list(items), words(key)
    for i in range(len(items) - 1, 0, -1):
        j = drawn(stream, i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    before = list(items)
    assert Dice(key).shuffle(items) == expected
    assert items == before


def test_unread_words_carry_over_to_the_next_draw() -> None:
    dice, stream = Dice(KEY), list(islice(words(KEY), 20))
    assert [dice.below(2**32) for _ in range(20)] == stream
    assert dice.words == 20


def test_one_of_one_takes_a_word() -> None:
    dice = Dice(KEY)
    assert (dice.below(1), dice.words) == (0, 1)
    assert (dice.shuffle([7]), dice.shuffle([]), dice.words) == ([7], [], 1)


def test_words_that_would_favour_some_are_passed_over() -> None:
    n = WORD // 2 + 1  # every word from n on is passed over: about half of them
    kept = [word for word in islice(words(KEY), 400) if word < n]
    dice = Dice(KEY)
    assert [dice.below(n) for _ in kept] == kept
    assert 400 - dice.words < 20
    assert len(kept) < 260


@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_every_number_is_as_likely_as_the_others(n: int) -> None:
    dice = Dice(KEY)
    counts = Counter(dice.below(n) for _ in range(6000))
    assert set(counts) == set(range(n))
    expected = 6000 / n
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 25


def test_every_order_is_as_likely_as_the_others() -> None:
    dice = Dice(KEY)
    counts = Counter(tuple(dice.shuffle("abc")) for _ in range(3000))
    assert set(counts) == set(permutations("abc"))
    assert all(400 < count < 600 for count in counts.values())


def test_a_fork_and_its_origin_do_not_move_each_other() -> None:
    dice = Dice(KEY)
    dice.below(6)
    fork = dice.fork()
    ahead = [dice.below(1000) for _ in range(12)]
    assert fork.words == 1
    assert [fork.below(1000) for _ in range(12)] == ahead


def test_a_stream_goes_on_where_its_words_say() -> None:
    dice = Dice(KEY)
    for _ in range(11):
        dice.below(6)
    later = Dice(KEY, words=dice.words)
    assert [later.below(99) for _ in range(30)] == [dice.below(99) for _ in range(30)]
