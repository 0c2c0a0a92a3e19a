"""A seat that waits for a bot host: its token, the name that its bot goes by, the policy that plays it."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator

import msgspec

from clients.bots.policies import Choose, UnknownPolicy, policies, policy

LONGEST_NAME = 24
"""Characters of a name (protocol section 7)."""


class Waiting(msgspec.Struct, frozen=True):
    """A seat that waits for a bot host, as the server tells it."""

    room: str
    seat: int
    game: str
    policy: str


def seat_token(key: str, room: str, seat: int) -> str:
    """The token of a host's seat: 128 bits of HMAC-SHA-256 over room and seat, in base64url."""
    digest = hmac.digest(key.encode(), f"{room}/{seat}".encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode()


def names(waiting: Waiting) -> Iterator[str | None]:
    """What the bot may be called, the best first; None: as the server likes.

    Whoever asks for a bot writes the policy, and a person may have the name: so any of these can be refused.
    """
    words = " ".join(waiting.policy.split()) or "bot"
    for ending in (f"-{waiting.seat + 1}", f"-{waiting.seat + 1} (bot)"):
        yield words[: LONGEST_NAME - len(ending)].rstrip() + ending
    yield None


def chosen(waiting: Waiting) -> tuple[str, Choose]:
    """The policy that was asked for, and its name; where this host does not have it, its best instead."""
    try:
        return waiting.policy, policy(waiting.policy, waiting.game)
    except UnknownPolicy:
        best = policies(waiting.game)[-1]
        return best, policy(best, waiting.game)


def plain(waiting: Waiting) -> tuple[str, Choose]:
    """The plainest policy there is, and its name: for a game that the one that was asked for can't play."""
    name = policies(waiting.game)[0]
    return name, policy(name, waiting.game)
