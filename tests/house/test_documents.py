"""What the documents point to is there: files, headings, modules to run, targets to make."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md")), ROOT / "protocol" / "PROTOCOL.md"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
OTHERS = {"pip", "venv", "pytest"}
"""Modules that are run and are none of ours."""


def anchors(text: str) -> set[str]:
    """The anchors that a reader's browser gives to the headings."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    text = path.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text()), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_is_there(path: Path) -> None:
    text = path.read_text()
    for module in set(re.findall(r"(?:python|py-spy record --) -m ([\w.]+)", text)) - OTHERS:
        spec = find_spec(module)
        assert spec is not None, module
        assert spec.submodule_search_locations is None or find_spec(f"{module}.__main__"), f"{module} can't be run"
    shown = "\n".join(
        re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL) + re.findall(r"`([^`\n]+)`", text)
    )
    assert set(re.findall(r"^make (?:\w+=\S+ )*([a-z-]+)", shown, re.MULTILINE)) <= TARGETS


def test_there_are_links_and_commands_to_look_at() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "](docs/operations.md)" in readme
    assert "make run" in readme
    assert "run" in TARGETS
    assert anchors("# A b, c!\n```\n# none\n```\n") == {"a-b-c"}
