"""Small pieces of Python source."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

HEADER = '"""Generated from the program\'s IDL; change the program and regenerate, never this file."""'
DOC_WIDTH = 113
STRING_WIDTH = 100


def docstring(lines: Sequence[str], indent: str = "    ") -> str:
    """A docstring of the IDL's docs, with long paragraphs refilled; empty without docs."""
    paragraphs = "\n".join(line.strip() for line in lines).split("\n\n")
    content = "\n\n".join(map(_filled, paragraphs)).strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if not content:
        return ""
    if content.endswith('"'):
        content += " "
    ending = "\n" if "\n" in content else ""
    return textwrap.indent(f'"""{content}{ending}"""', indent) + "\n"


def _filled(paragraph: str) -> str:
    if all(len(line) <= DOC_WIDTH for line in paragraph.splitlines()):
        return paragraph
    return textwrap.fill(paragraph, DOC_WIDTH, break_long_words=False, break_on_hyphens=False)


def string_literal(value: str) -> str:
    """A string, in pieces if it is long."""
    if len(value) <= STRING_WIDTH:
        return repr(value)
    pieces = textwrap.wrap(value, STRING_WIDTH, drop_whitespace=False, break_long_words=False)
    return "(" + " ".join(repr(piece) for piece in pieces) + ")"


def bytes_literal(value: bytes) -> str:
    """Bytes: as text where they are text, else in hexadecimal."""
    if value and all(32 <= byte < 127 for byte in value):
        return repr(value)
    return f'bytes.fromhex("{value.hex()}")'


def tuple_literal(items: Iterable[str]) -> str:
    """A tuple of expressions."""
    listed = list(items)
    return f"({listed[0]},)" if len(listed) == 1 else f"({', '.join(listed)})"


def export_list(names: Iterable[str]) -> str:
    """The `__all__` of a module: constants, classes, functions."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    return "__all__ = [" + ", ".join(map(repr, ordered)) + "]\n"


def lazy_names(places: Iterable[tuple[str, str]], expression: str) -> str:
    """Code that makes the names at some places those of their package; the places are the value of `expression`."""
    imports = "".join(f"    from .{file} import {name} as {name}\n" for file, name in places)
    if not imports:
        return f"if not TYPE_CHECKING:\n    __getattr__ = importer(__name__, {expression})\n"
    return f"if TYPE_CHECKING:\n{imports}else:\n    __getattr__ = importer(__name__, {expression})\n"


def place_table(places: Iterable[tuple[bytes, tuple[str, str]]]) -> str:
    """A dict of places by discriminator."""
    return "{" + ", ".join(f"{bytes_literal(key)}: {place!r}" for key, place in places) + "}"


def module(*sections: str) -> str:
    """A module of these sections; unused imports are removed when the package is formatted."""
    return "\n".join((HEADER, "\nfrom __future__ import annotations\n", *sections))
