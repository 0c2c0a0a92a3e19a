"""The README's table of settings is the one that `settings.py` makes."""

from __future__ import annotations

import re

import pytest

from server.settings import read_settings
from server.support.settings_table import inserted, table
from tests.processes import ROOT

README = (ROOT / "README.md").read_text()


def test_the_readme_is_up_to_date() -> None:
    assert inserted(README) == README, "run `python -m server.support.settings_table`"


def test_every_setting_is_there_with_a_default_that_the_server_takes() -> None:
    rows = re.findall(r"^\| `(PHAROS_\w+)` \| (.+?) \| .+? \| (.+) \|$", table(), re.MULTILINE)
    assert len(rows) == len({name for name, _, _ in rows}) > 40
    defaults = {name: default.strip("`") for name, default, _ in rows if default != "none"}
    assert read_settings(defaults) == read_settings({})
    assert all(text.endswith(".") for _, _, text in rows)


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="no marks"):
        inserted("# A page\n")
