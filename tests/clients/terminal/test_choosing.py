"""Legal actions in groups, narrowed down while typing."""

from __future__ import annotations

from clients.terminal.choosing import Choice, choices_of, grouped, narrowed

WORDS = {
    "reload": ("reload", "Reload: draw a card"),
    "bats": ("attack", "Strike at Crazy Bats #4 (4)"),
    "bear": ("attack", "Stomp on Hungry Bear #18 (6)"),
    "lay": ("lay_tile", "Lay tile #20 on 1,-2"),
}
CHOICES = [Choice({"type": kind, "name": name}, words) for name, (kind, words) in WORDS.items()]


def names(choices: list[Choice]) -> list[str]:
    return [choice.action["name"] for choice in choices]


def test_every_action_is_a_choice_in_its_order() -> None:
    actions = [{"type": "a", "n": n} for n in range(2000)]
    choices = choices_of(actions, lambda action: f"number {action['n']}")
    assert [choice.action for choice in choices] == actions
    assert choices[1999].words == "number 1999"
    assert narrowed(choices, "number 1999") == [choices[1999]]


def test_every_typed_word_must_be_there_in_any_order_and_case() -> None:
    assert names(narrowed(CHOICES, "")) == list(WORDS)
    assert names(narrowed(CHOICES, "   ")) == list(WORDS)
    assert names(narrowed(CHOICES, "BATS strike")) == ["bats"]
    assert names(narrowed(CHOICES, "strike bear")) == []
    assert names(narrowed(CHOICES, "#")) == ["bats", "bear", "lay"]
    assert names(narrowed(CHOICES, "1,-2")) == ["lay"]


def test_the_type_of_an_action_is_found_too() -> None:
    assert names(narrowed(CHOICES, "attack")) == ["bats", "bear"]
    assert names(narrowed(CHOICES, "lay tile")) == ["lay"]


def test_groups_come_in_the_order_of_their_first_actions() -> None:
    mixed = [CHOICES[1], CHOICES[0], CHOICES[2], CHOICES[3]]
    found = [(group.title, names(list(group.choices))) for group in grouped(mixed)]
    assert found == [("Attack", ["bats", "bear"]), ("Reload", ["reload"]), ("Lay tile", ["lay"])]
