"""Burano: fishing, lace and coloured houses on an island of cubes. The rules as played are in RULES.md."""

from server.engines.burano.components import load
from server.engines.burano.rules import BuranoEngine

ENGINE = BuranoEngine(load())

__all__ = ["ENGINE", "BuranoEngine"]
