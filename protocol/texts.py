"""What people may call themselves and say (protocol section 7): names of players and lines of chat.

A name is shown to strangers beside other names, so it must be readable, and what it looks like must be what it is:
nothing invisible, nothing that turns the direction of the text around it, no towers of accents. A line of chat is
free but for control characters and what could reorder the text around it.
"""

from __future__ import annotations

import unicodedata

from protocol.codes import Code, ProtocolError

NAME_LENGTH = 24
LINE_LENGTH = 500

MARKS_IN_A_ROW = 3
"""As many as any living script stacks upon one letter."""

# Letters and marks that show nothing (Unicode's Default_Ignorable_Code_Point within the categories L and M).
INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0}
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
)

# Embeddings, overrides and isolates: they change how the text after them is laid out.
REORDERING = frozenset([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def clean_name(raw: str) -> str:
    """The name as it is kept and shown: NFKC, trimmed.

    Raises:
        ProtocolError: `bad_message`, if it is empty, too long, or holds what a name may not hold.
    """
    name = unicodedata.normalize("NFKC", raw).strip()
    if not 1 <= len(name) <= NAME_LENGTH:
        raise ProtocolError(Code.BAD_MESSAGE, f"name: must have 1 to {NAME_LENGTH} characters")
    marks = MARKS_IN_A_ROW  # a mark needs a letter to stand on
    before = ""
    for character in name:
        category = unicodedata.category(character)
        marks = marks + 1 if category[0] == "M" else MARKS_IN_A_ROW if character == " " else 0
        if not _in_a_name(character, category) or (character == before == " "):
            raise ProtocolError(
                Code.BAD_MESSAGE, "name: may hold letters, marks, numbers, punctuation and single spaces only"
            )
        if category[0] == "M" and marks > MARKS_IN_A_ROW:
            raise ProtocolError(Code.BAD_MESSAGE, "name: a mark must stand on a letter, at most 3 on one")
        before = character
    return name


def _in_a_name(character: str, category: str) -> bool:
    return character == " " or (category[0] in "LMNP" and ord(character) not in INVISIBLE)


def name_key(name: str) -> str:
    """What two names of one room may not have in common: equal keys differ in nothing but case and the like."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def clean_line(raw: str) -> str:
    """The line of chat as it is kept and shown: trimmed.

    Raises:
        ProtocolError: `bad_message`, if it is empty, too long, or holds a control character.
    """
    line = raw.strip()
    if not 1 <= len(line) <= LINE_LENGTH:
        raise ProtocolError(Code.BAD_MESSAGE, f"text: must have 1 to {LINE_LENGTH} characters")
    if any(_controls(character) for character in line):
        raise ProtocolError(Code.BAD_MESSAGE, "text: may hold no control characters")
    return line


def _controls(character: str) -> bool:
    """Control characters, line and paragraph separators, lone surrogates, non-characters, and what reorders."""
    point = ord(character)
    if point in REORDERING or point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF:
        return True
    return unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cs")
