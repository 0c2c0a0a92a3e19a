# Everything that is done with Pharos. Each target creates what it needs in .venv first.

PYTHON ?= python3
BIN := .venv/bin
GAME ?= dragonwood
AGAINST ?= greedy,greedy

.PHONY: install run play demo test lint soak clean

install: .venv/installed

run: .venv/installed
	@exec $(BIN)/python -m server

# One game against bots, on a server of its own: make play GAME=islet AGAINST=greedy,greedy,random
play: .venv/installed
	@exec $(BIN)/python -m clients.terminal play $(GAME) --against $(AGAINST) --serve

# Four bots and a spectator, on a server of their own, to the end of a game.
demo: .venv/installed
	@exec $(BIN)/python -m clients.terminal demo $(GAME)

test: .venv/installed-dev lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not soak"

lint: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Long runs: laws over many games, fuzzing, kills. Not part of `make test`.
soak: .venv/installed-dev
	$(BIN)/python -m pytest -m soak

.venv/python:
	$(PYTHON) -c 'import sys; sys.exit("Pharos needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[terminal]'
	@touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
