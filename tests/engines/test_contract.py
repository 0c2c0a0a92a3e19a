"""What every registered game says of itself, and what its code may use: rule 1 of the contract of an engine."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from server.engines import ENGINES, AnyEngine, latest
from server.engines.engine import Action, EventBody

FOLDER = Path(__file__).parents[2] / "server" / "engines"
IMPURE = {
    *("asyncio", "concurrent", "datetime", "http", "io", "logging", "multiprocessing", "os", "pickle", "random"),
    *("secrets", "select", "shelve", "shutil", "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading"),
    *("time", "urllib", "uuid"),
}
IMPURE_CALLS = {"open", "print", "input", "exec", "eval", "hash"}
THE_SAME = ("RULES.md", "components.toml", "components.py", "state.py", "actions.py", "rules.py", "views.py")


@pytest.fixture(params=ENGINES.values(), ids=lambda engine: f"{engine.name}-{engine.rules}")
def engine(request: pytest.FixtureRequest) -> AnyEngine:
    return request.param


def test_a_game_says_what_it_is(engine: AnyEngine) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", engine.name)
    assert re.fullmatch(r"\d+\.\d+\.\d+", engine.rules)
    assert engine.title.strip() == engine.title != ""
    assert len(engine.seats) > 0
    assert engine.seats.start >= 1
    assert latest(engine.name) is not None


def test_options_have_defaults_and_know_their_names(engine: AnyEngine) -> None:
    assert issubclass(engine.options, msgspec.Struct)
    assert engine.options.__struct_config__.frozen
    assert msgspec.convert({}, engine.options) == engine.options()
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({"no such option": 1}, engine.options)


def test_actions_and_events_are_tagged_and_frozen(engine: AnyEngine) -> None:
    for union, base in ((engine.actions, Action), (engine.events, EventBody)):
        kinds = get_args(union)
        assert len(kinds) > 1
        for kind in kinds:
            assert issubclass(kind, base)
            assert kind.__struct_config__.frozen
            assert re.fullmatch(r"[a-z][a-z0-9_]*", str(kind.__struct_config__.tag))


def test_schemas_come_from_the_types(engine: AnyEngine) -> None:
    forms = (engine.options, engine.actions, engine.events, *engine.views)
    _, definitions = msgspec.json.schema_components(forms, ref_template="#/$defs/{name}")
    assert len(definitions) >= len(get_args(engine.actions))
    for view in engine.views:
        assert msgspec.json.schema(view)


def test_a_game_has_the_same_files_as_every_other() -> None:
    for name in {name for name, _ in ENGINES}:
        missing = [file for file in THE_SAME if not (FOLDER / name / file).is_file()]
        assert not missing, f"server/engines/{name}: no {', '.join(missing)}"


def test_engines_are_pure() -> None:
    found = [
        f"{path.relative_to(FOLDER)}: {what}"
        for path in sorted(FOLDER.rglob("*.py"))
        for what in impure(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(["an engine may use the standard library's pure part, msgspec and engines:", *found])


def impure(text: str) -> Iterator[str]:
    """Imports and calls in the text of a module that an engine may not have."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (f"import {alias.name}" for alias in node.names if not _allowed(alias.name))
        elif isinstance(node, ast.ImportFrom) and not (node.level == 0 and _allowed(node.module or "")):
            yield f"from {'.' * node.level}{node.module or ''} import"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield f"line {node.lineno}: {node.func.id}()"


def _allowed(module: str) -> bool:
    top = module.split(".")[0]
    if top == "server":
        return module.startswith("server.engines")
    return top == "msgspec" or (top in sys.stdlib_module_names and top not in IMPURE)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from server.engines.dice import Dice\nimport msgspec\nimport tomllib\nfrom enum import StrEnum", []),
        ("import random", ["import random"]),
        ("import os.path, re", ["import os.path"]),
        ("def f():\n    from time import monotonic", ["from time import"]),
        ("from protocol.patch import diff", ["from protocol.patch import"]),
        ("from server.rooms import room", ["from server.rooms import"]),
        ("import orjson", ["import orjson"]),
        ("from . import dice", ["from . import"]),
        ("x = open('a').read()", ["line 1: open()"]),
        ("x = sorted(items, key=lambda item: hash(item))", ["line 1: hash()"]),
    ],
)
def test_what_is_impure_is_found(text: str, found: list[str]) -> None:
    assert list(impure(text)) == found
