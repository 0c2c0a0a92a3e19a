"""What lies in `deploy/` speaks of the server as it is: its settings, its figures, its dependencies, its way down."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from server.settings import read_settings
from tests.web.desk import Desk

ROOT = Path(__file__).parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"
LOCKS = ROOT / "deploy" / "locks"
WATCHING = ("grafana/dashboards/pharos.json", "prometheus/alarms.yml", "kubernetes/scaling.yaml")


def manifests() -> Iterator[dict[str, Any]]:
    """Every object for the cluster, as it lies in the files."""
    for file in sorted(KUBERNETES.glob("*.yaml")):
        yield from yaml.safe_load_all(file.read_text())


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def filled(environment: dict[str, str]) -> dict[str, str]:
    """The environment as compose hands it over where nothing else is set."""
    return {name: re.sub(r"\$\{\w+:[-?](.*)\}", r"\1", value) for name, value in environment.items()}


async def test_every_figure_that_is_watched_is_told() -> None:
    desk = Desk()
    desk.hub.stats.actions["ok"] = desk.hub.stats.resumes["patches"] = desk.hub.stats.entries["islet", "action"] = 1
    desk.hub.stats.faults["raised"] = 1
    desk.site.traffic.closed[1001] = desk.site.traffic.refused["bad_message"] = 1
    told = set(re.findall(r"^(pharos_\w+)", (await desk.call("GET", "/metrics")).text, re.MULTILINE))
    for name in WATCHING:
        text = (ROOT / "deploy" / name).read_text()
        watched = set(re.findall(r"\bpharos_\w+", text)) - {"pharos_rooms"}
        assert watched <= told, name
        assert watched


def test_the_dashboard_can_be_loaded() -> None:
    dashboard = json.loads((ROOT / "deploy/grafana/dashboards/pharos.json").read_text())
    source = yaml.safe_load((ROOT / "deploy/grafana/provisioning/datasources/prometheus.yml").read_text())
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) > 10
    assert {panel["datasource"]["uid"] for panel in panels} == {source["datasources"][0]["uid"]}
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("node", ["node-a", "node-b"])
def test_the_nodes_of_the_compose_file_get_settings_that_exist(node: str) -> None:
    service = compose()["services"][node]
    settings = read_settings(filled(service["environment"]))
    assert settings.node == node
    assert settings.bot_key
    grace = int(service["stop_grace_period"].removesuffix("s")) * 1000
    assert settings.shutdown_delay < settings.shutdown_within < grace


def test_the_pods_get_settings_that_exist_and_the_time_to_stop() -> None:
    objects = {(found["kind"], found.get("metadata", {}).get("name")): found for found in manifests()}
    literals = objects["Kustomization", None]["configMapGenerator"][0]["literals"]
    pod = objects["Deployment", "pharos"]["spec"]["template"]["spec"]
    named = {variable["name"]: "x" for variable in pod["containers"][0]["env"]}
    settings = read_settings({**named, **dict(literal.split("=", 1) for literal in literals)})
    assert settings.shutdown_within < pod["terminationGracePeriodSeconds"] * 1000
    assert pod["enableServiceLinks"] is False
    selected = objects["Service", "pharos"]["spec"]["selector"].items()
    assert selected <= objects["Deployment", "pharos"]["spec"]["template"]["metadata"]["labels"].items()
    assert not selected <= objects["Deployment", "pharos-bots"]["spec"]["template"]["metadata"]["labels"].items()


def locked(name: str) -> dict[str, str]:
    """The versions in a lock; every one of them has its hashes."""
    text = (LOCKS / name).read_text()
    found = dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))
    assert len(re.findall(r"^\S+==.*\\\n    --hash=sha256:", text, re.MULTILINE)) == len(found)
    return found


@pytest.mark.parametrize(("lock", "extras"), [("image.txt", ("terminal", "otel")), ("build.txt", None)])
def test_the_locks_hold_what_the_project_asks_for(lock: str, extras: tuple[str, ...] | None) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["build-system"]["requires"] if extras is None else list(project["project"]["dependencies"])
    for extra in extras or ():
        wanted += project["project"]["optional-dependencies"][extra]
    versions = locked(lock)
    for text in wanted:
        requirement = Requirement(text)
        assert versions[requirement.name] in requirement.specifier, text


def test_the_dockerfile_starts_no_shell_and_is_nobody_in_particular() -> None:
    text = (ROOT / "Dockerfile").read_text()
    final = text[text.rindex("\nFROM ") :]
    for instruction in ("ENTRYPOINT", "CMD", "HEALTHCHECK .* CMD"):
        (arguments,) = re.findall(rf"^{instruction} (.*)$", final, re.MULTILINE)
        assert json.loads(arguments)
    (user,) = re.findall(r"^USER (\d+):\d+$", final, re.MULTILINE)
    assert int(user) > 0
    settings = dict(re.findall(r"(PHAROS_\w+)=(\S+)", final))
    assert read_settings(settings).host == "0.0.0.0"
