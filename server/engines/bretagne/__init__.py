"""Bretagne: lighthouses, worker placement and trade for 2 to 4. See RULES.md."""

from server.engines.bretagne.components import load_components
from server.engines.bretagne.rules import BretagneEngine

ENGINE = BretagneEngine(load_components())

__all__ = ["ENGINE", "BretagneEngine"]
