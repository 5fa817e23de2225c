"""Sums of a vault's ledger."""

from __future__ import annotations

U64_RANGE = 1 << 64


def wrapping_add(total: int, amount: int) -> int:
    """A sum modulo 2^64. Lifetime totals count so on chain; the others only while events are missing."""
    return (total + amount) % U64_RANGE
