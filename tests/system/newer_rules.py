"""A server of a later version, with other rules of Dragonwood: `python -m tests.system.newer_rules`."""

from __future__ import annotations

import copy
import sys

from server.engines import ENGINES, latest

RULES = "2.0.0"


def replace_rules() -> None:
    """Dragonwood in the newer version only."""
    old = latest("dragonwood")
    assert old is not None
    newer = copy.copy(old)
    newer.rules = RULES
    del ENGINES[old.name, old.rules]
    ENGINES[newer.name, RULES] = newer


if __name__ == "__main__":
    from server.app import main

    replace_rules()
    sys.exit(main())
