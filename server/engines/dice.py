"""The seeded stream of chance: protocol section 4, "Fair dice, checkable by anyone".

K = HMAC-SHA-256(seed, "pharos-v1-stream" || 32 bytes of entropy per seat, zeros if none). Block i of the stream is
HMAC-SHA-256(K, i as 8 bytes big-endian), read as eight 32-bit big-endian words.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

WORDS_PER_BLOCK = 8
WORD = 1 << 32


def commitment(seed: bytes) -> bytes:
    """What the server publishes before the game: SHA-256("pharos-v1-commit" || seed)."""
    return hashlib.sha256(b"pharos-v1-commit" + seed).digest()


def stream_key(seed: bytes, entropy: Sequence[bytes | None]) -> bytes:
    """The key K of a room's stream. `seed` and each item of `entropy` are 32 bytes; one item a seat."""
    return hmac.digest(seed, b"pharos-v1-stream" + b"".join(e or bytes(32) for e in entropy), "sha256")


class Dice:
    """A position in one stream of words. Draws move it on; `fork` gives an independent copy."""

    __slots__ = ("_block", "_key", "_number", "words")

    def __init__(self, key: bytes, words: int = 0) -> None:
        """`key`: 32 bytes, from `stream_key`. `words`: how many words were taken before."""
        self._key = key
        self._number = -1
        self._block = b""
        self.words = words

    def fork(self) -> Dice:
        """The same stream at the same place; draws on one do not move the other."""
        return Dice(self._key, self.words)

    def _word(self) -> int:
        number, place = divmod(self.words, WORDS_PER_BLOCK)
        if number != self._number:
            self._block = hmac.digest(self._key, number.to_bytes(8, "big"), "sha256")
            self._number = number
        self.words += 1
        return int.from_bytes(self._block[place * 4 : place * 4 + 4], "big")

    def below(self, n: int) -> int:
        """A number from 0 to n-1, each as likely as the others; takes at least one word, also for n = 1."""
        limit = WORD // n * n
        while (word := self._word()) >= limit:
            pass
        return word % n

    def shuffle(self, items: Iterable[T]) -> list[T]:
        """A new list: for i = n-1 down to 1, items i and below(i + 1) are swapped."""
        shuffled = list(items)
        for i in range(len(shuffled) - 1, 0, -1):
            j = self.below(i + 1)
            shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
        return shuffled
