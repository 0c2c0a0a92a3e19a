"""The legal actions as a person chooses among them: in words, grouped by type, narrowed down while typing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec


class Choice(msgspec.Struct, frozen=True):
    """A legal action and what it reads like."""

    action: Mapping[str, Any]
    words: str


class Group(msgspec.Struct, frozen=True):
    """The choices of one type of action, in the order of the rules."""

    title: str
    choices: Sequence[Choice]


def choices_of(actions: Sequence[Mapping[str, Any]], describe: Callable[[Mapping[str, Any]], str]) -> list[Choice]:
    """The actions in words, in the order of the rules."""
    return [Choice(action, describe(action)) for action in actions]


def narrowed(choices: Sequence[Choice], typed: str) -> list[Choice]:
    """The choices that have every typed word in them, in any order and any case."""
    words = typed.casefold().split()
    return [choice for choice in choices if _has_all(choice, words)] if words else list(choices)


def grouped(choices: Sequence[Choice]) -> list[Group]:
    """The choices by type of action; the groups in the order of their first ones."""
    groups: dict[str, list[Choice]] = {}
    for choice in choices:
        groups.setdefault(str(choice.action["type"]), []).append(choice)
    return [Group(_title(kind), members) for kind, members in groups.items()]


def _has_all(choice: Choice, words: Sequence[str]) -> bool:
    text = f"{_title(str(choice.action['type']))} {choice.words}".casefold()
    return all(word in text for word in words)


def _title(kind: str) -> str:
    return kind.replace("_", " ").capitalize()
