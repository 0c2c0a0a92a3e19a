"""The rules step by step, in the rulebook's words.

Each step lists what it allows (`legal`, in the order of RULES.md, "Actions") and carries an action out after
checking it by itself. A step that carries something out answers with an `Outcome`.
"""

from __future__ import annotations

from typing import TypeAlias

from server.engines.engine import Event, IllegalAction
from server.engines.islet.state import State

Outcome: TypeAlias = tuple[State, list[Event]]


def require(condition: bool, rule: str) -> None:
    """Refuse the player's action unless the condition holds.

    Raises:
        IllegalAction: with the rule that forbids it.
    """
    if not condition:
        raise IllegalAction(rule)
