# Everything that is done with Pharos. Each target creates what it needs in .venv first.

PYTHON ?= python3
BIN := .venv/bin
GAME ?= dragonwood
AGAINST ?= greedy,greedy
# In the environment, where the shell does not read them as its own words.
export GAME AGAINST

.PHONY: install run play demo test lint soak research bench bench-peers lock clean

install: .venv/installed

# The server, and beside it a host of bots that takes the seats that rooms offer. Both end with Ctrl-C or SIGTERM: the
# shell passes it on, and waits until the server has ended as it should. A host that dies is started again.
run: .venv/installed .venv/bot-key
	@export PHAROS_BOT_KEY="$${PHAROS_BOT_KEY:-$$(cat .venv/bot-key)}"; \
	(trap 'kill $$! 2>/dev/null; exit' TERM; \
	while $(BIN)/python -m clients.bots.host & ! wait $$!; do sleep 1; done) & host=$$!; \
	$(BIN)/python -m server & server=$$!; \
	trap 'kill $$host 2>/dev/null' EXIT; trap 'kill $$server 2>/dev/null' INT TERM; \
	wait $$server; code=$$?; \
	while kill -0 $$server 2>/dev/null; do wait $$server; code=$$?; done; \
	exit $$code

# One game against bots, on a server of its own: make play GAME=islet AGAINST=greedy,greedy,random
play: .venv/installed
	@exec $(BIN)/python -m clients.terminal play "$$GAME" --against "$$AGAINST" --serve

# Four bots and a spectator, on a server of their own, to the end of a game.
demo: .venv/installed
	@exec $(BIN)/python -m clients.terminal demo "$$GAME"

test: .venv/installed-dev lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Long runs: laws over many games, fuzzing, kills. Not part of `make test`.
soak: .venv/installed-dev
	$(BIN)/python -m pytest -m soak

# The games as environments for PettingZoo and OpenSpiel, held against the tests of these.
research: .venv/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[research]'
	$(BIN)/python -m pytest -m research tests/clients/environments

# How fast it all is (docs/performance.md); about ten minutes, or one: make bench BENCH=--quick
bench: .venv/installed-dev
	@$(BIN)/python -m bench $(BENCH)

# The same job on other servers for board games, which npm installs here.
bench-peers: .venv/installed-dev bench/peers/node_modules/.installed
	@$(BIN)/python -m bench --peers $(BENCH)

bench/peers/node_modules/.installed: bench/peers/package.json
	npm install --prefix bench/peers --no-audit --no-fund --no-package-lock --ignore-scripts
	@touch $@

# The image's dependencies anew, with their hashes, after a change of pyproject.toml.
COMPILE := uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-annotate \
  --custom-compile-command "make lock"
lock: .venv/installed-dev
	$(BIN)/$(COMPILE) --extra terminal --extra otel --output-file deploy/locks/image.txt pyproject.toml
	$(BIN)/$(COMPILE) --output-file deploy/locks/build.txt deploy/locks/build.in

.venv/bot-key: .venv/python
	@$(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(32))' > $@

.venv/python:
	$(PYTHON) -c 'import sys; sys.exit("Pharos needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/python pyproject.toml
	@echo "Installing into .venv: a minute or so."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[terminal]'
	@touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,fuzz]'
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
