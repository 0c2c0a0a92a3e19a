"""Names and lines of chat: what is kept, what is refused."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codes import Code, ProtocolError
from protocol.texts import LINE_LENGTH, NAME_LENGTH, clean_line, clean_name, name_key


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("Ana", "Ana"),
        ("  Ana \n", "Ana"),
        ("greedy-1", "greedy-1"),
        ("Jean-Luc d'Arc", "Jean-Luc d'Arc"),
        ("Ａｎａ", "Ana"),
        ("e\u0301", "é"),
        ("नमस्ते", "नमस्ते"),
        ("ภูมิใจ", "ภูมิใจ"),
        ("山田 太郎", "山田 太郎"),
        ("א\u05b8\u05d1", "א\u05b8\u05d1"),
        ("A\u00a0B", "A B"),
        ("x" * NAME_LENGTH, "x" * NAME_LENGTH),
    ],
)
def test_a_name_is_kept_normalized_and_trimmed(raw: str, kept: str) -> None:
    assert clean_name(raw) == kept


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "   ",
        "x" * (NAME_LENGTH + 1),
        "\ufdfa\ufdfa",  # two characters that normalize to 36
        "a  b",
        "a\tb",
        "a\x00b",
        "a\u200bb",  # zero width space
        "a\u200db",  # zero width joiner
        "\u202eanA",  # right-to-left override
        "a\u2066b",  # isolate
        "a\ufeffb",
        "a\u00adb",  # soft hyphen
        "\u3164",  # Hangul filler: a letter that shows nothing
        "\u115f\u1160",
        "a\ufe0f",  # variation selector: a mark that shows nothing
        "a\U000e0100",
        "a\u034fb",
        "Z" + 5 * "\u0301",  # a tower of accents
        "\u0334ab",  # a mark on nothing
        "a \u0334b",
        "\u2028",
        "a\ud800",
        "a\ue000",  # private use
        "<b>",
        "☃",
        "\u2800",  # blank Braille
        "\u1680a\u1680b",
    ],
)
def test_a_hostile_or_unreadable_name_is_refused(raw: str) -> None:
    with pytest.raises(ProtocolError) as refusal:
        clean_name(raw)
    assert refusal.value.code is Code.BAD_MESSAGE
    assert refusal.value.message.startswith("name: ")


@given(st.text(max_size=40))
def test_a_cleaned_name_is_clean(raw: str) -> None:
    try:
        name = clean_name(raw)
    except ProtocolError:
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= NAME_LENGTH
    assert not any(unicodedata.category(character)[0] in "CZS" for character in name if character != " ")


def test_names_that_differ_in_case_only_have_one_key() -> None:
    assert name_key("Straße") == name_key("STRASSE")
    assert name_key("Ana") == name_key("aNA")
    assert name_key("Ana") != name_key("Anna")


@pytest.mark.parametrize("raw", ["gg", "  well played!  ", "👩\u200d👧", "می\u200cخواهم", "1 < 2", "x" * LINE_LENGTH])
def test_a_line_is_kept_trimmed(raw: str) -> None:
    assert clean_line(raw) == raw.strip()


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "  ",
        "x" * (LINE_LENGTH + 1),
        "a\x00",
        "a\nb",
        "a\x1b[31m",
        "a\x85b",
        "a\u2028b",
        "\u202eabc",
        "\ud83d",
        "\ufdd0",
        "a\ufffe",
    ],
)
def test_a_line_with_control_characters_or_of_wrong_length_is_refused(raw: str) -> None:
    with pytest.raises(ProtocolError) as refusal:
        clean_line(raw)
    assert refusal.value.code is Code.BAD_MESSAGE
    assert refusal.value.message.startswith("text: ")
