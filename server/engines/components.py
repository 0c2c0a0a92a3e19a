"""Reading a game's `components.toml` into its typed form, with errors that name file, key and reason."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


class BrokenComponents(ValueError):  # noqa: N818 - reads as the statement it makes
    """A components file that the game can't be played with."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(f"{file}: {key}: {reason}")
        self.file = file
        self.key = key
        self.reason = reason


def read_components(path: Path, form: type[T]) -> T:
    """The file as an instance of `form` (a frozen struct that forbids unknown fields).

    Raises:
        BrokenComponents: not TOML, a missing or unknown key, a wrong type. Further constraints are the game's to check.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BrokenComponents(path.name, "(syntax)", str(error)) from error
    try:
        return msgspec.convert(data, form, str_keys=True)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `")
        key = re.sub(r"\$\.?|`", "", place) or "(top level)"
        raise BrokenComponents(path.name, key, reason) from error
