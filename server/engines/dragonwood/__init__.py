"""Dragonwood: adventurers draw cards, or spend sets of them for dice, to capture creatures and enhancements."""

from server.engines.dragonwood.components import load
from server.engines.dragonwood.rules import DragonwoodEngine

ENGINE = DragonwoodEngine(load())
