"""Boards as a terminal without colours shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any

from rich.console import Console, RenderableType


def printed(board: Callable[[Mapping[str, Any], int], RenderableType], state: Mapping[str, Any], width: int) -> str:
    """The board of a state, so many columns wide."""
    console = Console(width=width, file=StringIO(), color_system=None, legacy_windows=False)
    with console.capture() as captured:
        console.print(board(state, width))
    return captured.get()
