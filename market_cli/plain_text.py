"""Text that others wrote, as a terminal may print it: a proposal's title, a host's message, a machine's answer."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from rich.markup import RE_TAGS, escape

REFUSED: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
"""Categories that a terminal obeys or cannot show: controls, directions, invisible characters, line separators."""
STYLES: Final = frozenset({"/", "bold", "bold red", "dim", "blue", "green", "magenta", "red", "yellow"})
"""Tags of rich that we write. Others, such as links, come from text that nobody marked."""
JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible characters that scripts and emoji need."""


def printable(text: str, *, keep: str = "\n") -> str:
    """The text without characters that a terminal would obey, except those in `keep`."""
    if text.isprintable():
        return text
    return "".join(each if each in keep or _is_shown(each) else _in_place_of(each) for each in text)


def theirs(text: str) -> str:
    """Text of others for our output, on one line, with rich's markup taken literally."""
    return escape(printable(text, keep="").strip())


def only_our_tags(text: str) -> str:
    """Markup without other tags than ours: the rest is taken literally."""
    return RE_TAGS.sub(_ours_or_literal, text)


def _ours_or_literal(tag: re.Match[str]) -> str:
    whole, backslashes, name = tag.groups()
    is_literal = len(backslashes) % 2 == 1
    return whole if is_literal or name in STYLES else backslashes * 2 + rf"\[{name}]"


def _is_shown(character: str) -> bool:
    return unicodedata.category(character) not in REFUSED or character in JOINERS


def _in_place_of(character: str) -> str:
    return " " if character.isspace() else ""
