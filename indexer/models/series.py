"""Data of time series: sums and levels by hour and by day in UTC, kept as events come.

`step` is HOUR or DAY, and `start` a multiple of it: the unix second at which an hour or day begins. One in
which nothing happened has no row.
"""

from __future__ import annotations

from typing import Final

from sqlmodel import Field

from indexer.models.base import U128, Address, Count, Projection, Word, table

HOUR: Final = 3_600
DAY: Final = 24 * HOUR
"""Seconds."""


class Levels(Projection):
    """Numbers of GPUs and rentals of a model in a region."""

    gpus: Count = 0
    """On offer or rented."""
    rented_gpus: Count = 0
    running: Count = 0
    """Rentals that have started and not ended."""


@table()
class MarketLevel(Levels):
    """Levels as they are now."""

    gpu_model: Count = Field(primary_key=True)
    region: Count = Field(primary_key=True)
    counted_at: Count = -1
    """When something was last counted."""


@table(clustered=True)
class MarketPoint(Levels):
    """Levels at the end of an hour or day, and counts of what happened in it."""

    step: Count = Field(primary_key=True)
    gpu_model: Count = Field(primary_key=True)
    region: Count = Field(primary_key=True)
    start: Count = Field(primary_key=True)
    gpu_seconds: Count
    """Of the whole hour or day, if nothing changes until it ends."""
    rented_gpu_seconds: Count
    opened: Count = 0
    started: Count = 0
    ended: Count = 0
    """Rentals."""


@table(clustered=True)
class RatePoint(Projection):
    """Number of rentals opened at a rate."""

    step: Count = Field(primary_key=True)
    start: Count = Field(primary_key=True)
    kind: Word = Field(primary_key=True)
    gpu_model: Count = Field(primary_key=True)
    region: Count = Field(primary_key=True)
    rate_usd: Count = Field(primary_key=True)
    """Micro-USD per GPU-hour, rounded down."""
    rentals: Count


@table(clustered=True)
class MoneyPoint(Projection):
    """Amounts that were burned and that became fees, in base units of a mint."""

    step: Count = Field(primary_key=True)
    start: Count = Field(primary_key=True)
    mint: Address = Field(primary_key=True)
    burned: U128
    fees: U128


@table(clustered=True)
class EarningPoint(Projection):
    """Payments to a host for rentals, in base units of a mint."""

    host: Address = Field(primary_key=True)
    step: Count = Field(primary_key=True)
    start: Count = Field(primary_key=True)
    mint: Address = Field(primary_key=True)
    amount: U128
    usd: U128
    """Micro-USD: each payment at the price of its moment, rounded down; nothing while the mint had none."""
    payouts: Count
