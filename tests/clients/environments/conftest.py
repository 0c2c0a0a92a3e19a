"""These tests need what the extra `research` brings: without it they are none of the tests here."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("pettingzoo") and find_spec("pyspiel") else ["test_environments.py"]
