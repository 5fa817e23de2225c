"""Named items of a source, Rust or Python: `function`, `CONSTANT`, `Type`, `Type::method`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

Span = tuple[int, int]
"""Positions in a source: the first character, and the one after the last."""

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?"(?:\\.|[^"\\])*"|b?'(?:\\.|[^'\\])'|[{}()\[\];]
    |\b(?:(?P<const>const\s+)?fn|struct|enum|trait|mod|static|const|type|macro_rules!)\s+(?P<name>\w+)
    |(?P<impl>\bimpl\b)|\b(?P<macro>\w+)!(?=\s*[({\[])""",
    re.DOTALL | re.VERBOSE,
)
GENERICS = re.compile(r"<[^<>]*>")
CONTAINERS = ("impl", "mod", "trait")
ENDED_BY_SEMICOLON = ("const", "static", "type")


class Item(NamedTuple):
    """An item with its comments and attributes."""

    path: str
    start: int
    end: int
    body: Span | None = None
    """Braces of a Rust function that is not const."""


def items(file: str, source: str) -> list[Item]:
    """All items of a file."""
    return list((_rust_items if file.endswith(".rs") else _python_items)(source))


def item_around(found: list[Item], start: int, end: int) -> Item | None:
    """The innermost item that has a piece of source within it."""
    around = [item for item in found if item.start <= start and end <= item.end]
    return min(around, key=lambda item: item.end - item.start, default=None)


class _Open(NamedTuple):
    """A Rust item that has begun."""

    kind: str
    path: str
    start: int
    is_const: bool


def _rust_items(source: str) -> Iterator[Item]:
    """Looks for items in the file and in modules, traits and implementations; what a function has within is its own."""
    containers: list[_Open] = []
    item: _Open | None = None
    depth = 0
    start = 0
    opened = 0
    for token in TOKEN.finditer(source):
        text = token[0]
        if item is None and depth == 0 and (token["name"] or token["impl"] or token["macro"]):
            prefix = "".join(f"{each.path}::" for each in containers if each.kind != "mod")
            name = (
                token["name"] or token["macro"] or _implementing(source[token.end() : source.index("{", token.end())])
            )
            kind = "impl" if token["impl"] else text.split()[-2:][0]
            item = _Open(kind, prefix + name, start, token["const"] is not None)
        elif text == "{" and depth == 0 and item and item.kind in CONTAINERS:
            containers.append(item._replace(path=item.path.rpartition("::")[2]))
            item = None
            start = token.end()
        elif text in ("(", "[", "{"):
            depth += 1
            opened = token.start() if depth == 1 else opened
        elif text == "}" and depth == 0:
            closed = containers.pop()
            start = token.end()
            if closed.kind != "mod":
                yield Item(closed.path, closed.start, start)
        elif text in (")", "]", "}"):
            depth -= 1
            if text == "}" and depth == 0 and item and item.kind not in ENDED_BY_SEMICOLON:
                start = token.end()
                is_switchable = item.kind == "fn" and not item.is_const
                yield Item(item.path, item.start, start, (opened, start) if is_switchable else None)
                item = None
        elif text == ";" and depth == 0:
            start = token.end()
            if item is not None:
                yield Item(item.path, item.start, start)
            item = None


def _implementing(header: str) -> str:
    """The type of `impl<'info> Trait<X> for path::Type<'info>`."""
    while header != (plain := GENERICS.sub("", header)):
        header = plain
    words = header.partition(" where ")[0].split(" for ")[-1].split()
    return words[0].rpartition("::")[2]


def _python_items(source: str) -> Iterator[Item]:
    lines = [0, *accumulate(map(len, source.splitlines(keepends=True)))]

    def within(body: list[ast.stmt], prefix: str) -> Iterator[Item]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names = [node.name]
                first = min(each.lineno for each in (node, *node.decorator_list))
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [each.id for each in targets if isinstance(each, ast.Name)]
                first = node.lineno
            else:
                continue
            for name in names:
                yield Item(prefix + name, lines[first - 1], lines[node.end_lineno or first])
            if isinstance(node, ast.ClassDef):
                yield from within(node.body, f"{prefix}{node.name}::")

    yield from within(ast.parse(source).body, "")
