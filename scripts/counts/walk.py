"""The walk of a price: what a reader opens to follow a price through the Python outside tests.

Its files are those with an identifier that has the word `price`. A hop is a use of a name, in a function with such an
identifier, that another of these files defines. Hops are no cost by themselves: a rule that is called in ten places is
ten hops, and copied ten times it is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .sources import Source
from .structure import imported_names

WORD = "price"


class Walk(NamedTuple):
    """Files, and uses in them of what another of them defines."""

    files: int
    hops: int


def walk(sources: Sequence[Source]) -> Walk:
    """The walk of a price."""
    known = {source.module: source for source in sources if not source.is_test}
    on_it = {name: source for name, source in known.items() if _speaks(source.tree)}
    return Walk(len(on_it), sum(_hops(source, on_it) for source in on_it.values()))


def _hops(source: Source, on_it: Mapping[str, Source]) -> int:
    imported = {name for name, module in imported_names(source, on_it) if module != source.module}
    return sum(
        isinstance(node, ast.Name) and node.id in imported
        for function in ast.walk(source.tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and _speaks(function)
        for node in ast.walk(function)
    )


def _speaks(tree: ast.AST) -> bool:
    return any(WORD in name.lower().split("_") for name in _identifiers(tree))


def _identifiers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
