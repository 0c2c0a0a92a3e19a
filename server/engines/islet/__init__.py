"""Islet: birds raise an island of stacked triangles and lay their eggs on it. The rules as played: RULES.md."""

from __future__ import annotations

from server.engines.islet.components import load
from server.engines.islet.rules import IsletEngine

ENGINE = IsletEngine(load())
