"""The runbook speaks of what there is: every alarm, every line of the log that it explains, every setting."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from server.support.settings_table import table

ROOT = Path(__file__).parents[2]
RUNBOOK = (ROOT / "docs" / "operations.md").read_text()
SOURCE = "\n".join(path.read_text() for path in (ROOT / "server").rglob("*.py"))


def test_every_alarm_is_explained_and_no_other() -> None:
    groups = yaml.safe_load((ROOT / "deploy/prometheus/alarms.yml").read_text())["groups"]
    alarms = [rule["alert"] for group in groups for rule in group["rules"]]
    explained = re.findall(r"^\| `(Pharos\w+)` \|", RUNBOOK, re.MULTILINE)
    assert sorted(explained) == sorted(alarms)


def test_every_line_of_the_log_that_is_explained_is_written() -> None:
    lines = RUNBOOK.partition("| line | means |")[2].partition("\n\n")[0]
    explained = re.findall(r"^\| `([^`]+)` \|", lines, re.MULTILINE)
    assert len(explained) > 5
    for line in explained:
        assert re.search(rf'log\.\w+\("{re.escape(line)}"', SOURCE), line


def test_every_setting_that_is_named_exists() -> None:
    assert set(re.findall(r"PHAROS_[A-Z_]+", RUNBOOK)) <= set(re.findall(r"PHAROS_[A-Z_]+", table()))


def test_every_figure_that_is_named_exists() -> None:
    named = set(re.findall(r"pharos_\w+", RUNBOOK))
    assert named
    for figure in named:
        stem = re.sub(r"^pharos_(decide|append|commit|action)_seconds$", "pharos_{stage}_seconds", figure)
        assert stem.removesuffix("_total") in SOURCE, figure
