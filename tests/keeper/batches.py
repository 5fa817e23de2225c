"""Sizes of a keeper's transactions."""

from __future__ import annotations

from collections import Counter

from keeper.summary import KeeperSummary


def batch_sizes(summary: KeeperSummary) -> tuple[int, ...]:
    """Rentals in each transaction that landed, the largest first."""
    return tuple(sorted(Counter(ended.signature for ended in summary.ended).values(), reverse=True))
