"""Percentiles by nearest rank: a value that was measured, never one between two."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], percent: int) -> float:
    """The least value that at least `percent` of all do not exceed. ValueError without values."""
    if not values:
        raise ValueError("there are no values")
    rank = -(-len(values) * percent // 100)
    return sorted(values)[max(rank, 1) - 1]
