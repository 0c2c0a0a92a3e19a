"""The caps of the house: no god file, no god function.

A file has fewer than 400 lines (a test's fewer than 600), a function fewer than 50, and at most 5 parameters; `self`
and `cls` are not counted, nor is what can only be given by keyword.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE, TEST_FILE, FUNCTION, PARAMETERS = 400, 600, 50, 5

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files() -> list[Path]:
    """Every Python file that git tracks or would: those it ignores are none of ours."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.py"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return sorted(path for path in paths if path.is_file())


def too_large(name: str, text: str) -> Iterator[str]:
    """What breaks a cap in a file of this name, with its place."""
    lines = len(text.splitlines())
    most = TEST_FILE if name.startswith("tests/") else FILE
    if lines >= most:
        yield f"{name}: {lines} lines, the cap is {most - 1}"
    for node, owned in _functions(ast.parse(text)):
        where = f"{name}:{node.lineno}: {node.name}"
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length >= FUNCTION:
            yield f"{where}: {length} lines, the cap is {FUNCTION - 1}"
        parameters = _parameters(node, owned=owned)
        if parameters > PARAMETERS:
            yield f"{where}: {parameters} parameters, the cap is {PARAMETERS}"


def _functions(tree: ast.AST, *, in_class: bool = False) -> Iterator[tuple[Function, bool]]:
    """Every function at any depth, and whether it is a class's, so that its first parameter may be `self`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield node, in_class
        yield from _functions(node, in_class=isinstance(node, ast.ClassDef))


def _parameters(node: Function, *, owned: bool) -> int:
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    starred = bool(node.args.vararg) + bool(node.args.kwarg)
    return len(names) - (owned and names[:1] in (["self"], ["cls"])) + starred


def test_no_file_and_no_function_passes_its_cap() -> None:
    files = python_files()
    assert Path(__file__).resolve() in files
    found = [
        each for path in files for each in too_large(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(["", *found])


LONG = "def long():\n" + "    x = 1\n" * 49
DEEP = "class A:\n    def f(self):\n        async def g():\n" + "            x = 1\n" * 49 + "        return g\n"


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("server/a.py", "x = 1\n" * 399, []),
        ("server/a.py", "x = 1\n" * 400, ["server/a.py: 400 lines, the cap is 399"]),
        ("tests/test_a.py", "x = 1\n" * 599, []),
        ("tests/test_a.py", "x = 1\n" * 600, ["tests/test_a.py: 600 lines, the cap is 599"]),
        ("a.py", LONG, ["a.py:1: long: 50 lines, the cap is 49"]),
        ("a.py", LONG.removesuffix("    x = 1\n"), []),
        ("a.py", DEEP, ["a.py:2: f: 52 lines, the cap is 49", "a.py:3: g: 50 lines, the cap is 49"]),
        ("a.py", "def f(a, b, c, d, e): pass", []),
        ("a.py", "def f(a, b, c, d, e, f): pass", ["a.py:1: f: 6 parameters, the cap is 5"]),
        ("a.py", "def f(a, b, /, c, d, e, *, f, g): pass", []),
        ("a.py", "def f(a, b, c, d, *e, **f): pass", ["a.py:1: f: 6 parameters, the cap is 5"]),
        ("a.py", "class A:\n    def f(self, a, b, c, d, e): pass", []),
        ("a.py", "class A:\n    async def f(cls, a, b, c, d, e): pass", []),
        ("a.py", "def f(self, a, b, c, d, e): pass", ["a.py:1: f: 6 parameters, the cap is 5"]),
    ],
)
def test_what_passes_a_cap_is_named(name: str, text: str, found: list[str]) -> None:
    assert list(too_large(name, text)) == found
