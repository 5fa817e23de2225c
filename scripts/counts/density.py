"""Density of expressions outside tests: what stops a reader, in ten thousand lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .language import conditional_expressions, tuple_assignments
from .sources import Source

LINES = 10_000
NAMED = 5
"""Files that are named where there is too much: those with the most."""


class Density(NamedTuple):
    """One construct, and how many of it LINES may have."""

    name: str
    count: Callable[[Source], int]
    most: int
    remedy: str


DENSITIES = (
    Density(
        "conditional expressions",
        conditional_expressions,
        110,
        "Write a statement, return early, or give the part a name of its own.",
    ),
    Density("tuple assignments", tuple_assignments, 5, "Write a statement for each value."),
)


def too_dense(files: Sequence[Source]) -> Iterator[str]:
    """Lines that name the densest files for each construct that exceeds its limit, with a remedy."""
    part = [source for source in files if not source.is_test]
    lines = sum(source.text.count("\n") for source in part)
    for density in DENSITIES:
        counts = {source.name: density.count(source) for source in part}
        total = sum(counts.values())
        if total * LINES > lines * density.most:
            for name in sorted(counts, key=lambda name: -counts[name])[:NAMED]:
                yield f"{name}: {counts[name]} {density.name}"
            most = lines * density.most // LINES
            yield f"{total} {density.name} in {lines} lines outside tests, more than {most}. {density.remedy}"
