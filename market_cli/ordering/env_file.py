"""Environment variables from a file, in the format of `docker run --env-file` and .env files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from anchor_client.service.text_file import read_text, unreadable
from market_cli.errors import BadJobFile

BLANK: Final = " \t"
QUOTES: Final = ("'", '"')
REMEDY: Final = "Write NAME=VALUE, one on each line; a line with # is a comment, and a quoted value may span lines."
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_COMMENT: Final = re.compile(r"""(?<=["'])[ \t]+#[^"']*$|^[ \t]+#.*$""")
"""A comment after a quoted value; one with quotes may be the value's own."""
_EXPORT: Final = re.compile(rf"^export[{BLANK}]+")

Lines = Iterator[tuple[int, str]]
"""Lines with their numbers."""


def read_env_file(path: Path) -> dict[str, str]:
    """Variables by name; quotes around a value are removed. BadJobFile names the line."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadJobFile(
            f"The file of variables {path} cannot be read: {unreadable(error)}", "Use another file."
        ) from error
    found = {}
    lines = enumerate(_LINE_END.split(text), 1)
    for number, line in lines:
        stripped = line.strip(BLANK)
        if not stripped or stripped.startswith("#"):
            continue
        name, separator, value = _EXPORT.sub("", stripped, count=1).partition("=")
        name = name.strip(BLANK)
        if not separator or not name:
            raise _refused(path, number, "this is not a variable")
        if not name.isprintable() or " " in name:
            raise _refused(path, number, f"the name {name!r} has a blank or an invisible character")
        found[name] = _value(value.lstrip(BLANK), path, number, lines)
    return found


def _value(value: str, path: Path, number: int, lines: Lines) -> str:
    quote = value[:1]
    if quote not in QUOTES:
        return value
    if quote in value[1:]:
        quoted = _COMMENT.sub("", value)
        return quoted[1:-1] if len(quoted) > 1 and quoted[-1] == quote else value
    parts = [value[1:]]
    for last, line in lines:
        before, found, after = line.partition(quote)
        parts.append(before)
        if found and _COMMENT.sub("", after).strip(BLANK):
            raise _refused(path, last, f"text follows the quote that closes the value of line {number}")
        if found:
            return "\n".join(parts)
    raise _refused(path, number, "the quoted value is not closed")


def _refused(path: Path, number: int, why: str) -> BadJobFile:
    return BadJobFile(f"{path}:{number}: {why}", REMEDY)
