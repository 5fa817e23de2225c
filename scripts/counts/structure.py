"""Rooms: files side by side, and modules that import one another in a circle."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from .sources import Source


def files_side_by_side(files: Iterable[Source]) -> Counter[str]:
    """Number of files in each folder outside tests."""
    return Counter(
        source.name.rpartition("/")[0] or "."
        for source in files
        if not source.is_test and not source.name.endswith("__init__.py")
    )


def imports(files: Iterable[Source]) -> dict[str, set[str]]:
    """Modules that each module imports, at its top or within a function; without those for type checkers."""
    known = {source.module: source for source in files if not source.is_test}
    return {name: set(_imported(source, known)) - {name} for name, source in known.items()}


def cycles(graph: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """Cycles of modules, each found once its predecessors are cut; empty where there is none."""
    left = {name: set(targets) for name, targets in graph.items()}
    found: list[tuple[str, ...]] = []
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            circle = tuple(error.args[1])
            found.append(circle)
            left[circle[1]].discard(circle[0])
        else:
            return found


def _imported(source: Source, known: Mapping[str, Source]) -> Iterator[str]:
    checked = {
        id(inner)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(source.tree):
        if id(node) in checked:
            continue
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in known)
        elif isinstance(node, ast.ImportFrom):
            yield from (module for _, module in _names_from(source, node, known))


def imported_names(source: Source, known: Mapping[str, Source]) -> Iterator[tuple[str, str]]:
    """Names that a file imports from known modules, or that are such modules, each with its module."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            yield from _names_from(source, node, known)


def _names_from(source: Source, node: ast.ImportFrom, known: Mapping[str, Source]) -> Iterator[tuple[str, str]]:
    base = _base(source, node)
    for each in node.names:
        inner = f"{base}.{each.name}"
        for module in (inner, base):
            if module in known:
                yield each.asname or each.name, module
                break


def _base(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = source.module.split(".")
    if source.name.endswith("__init__.py"):
        parts.append("")
    return ".".join(filter(None, [*parts[: len(parts) - node.level], node.module]))
