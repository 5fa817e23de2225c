"""GPU-seconds by month, which carbon is reckoned from."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from indexer.index.handlers.step import Step
from indexer.models import GpuUse, Rental, WalletGpuUse


def count_use(step: Step, rental: Rental) -> None:
    """Counts what a rental that has just ended used, in each month that it ran in."""
    if rental.started_at is None or not rental.gpu_count:
        return
    for month, seconds in by_month(rental.started_at, rental.started_at + rental.used):
        what = (month, rental.gpu_model, rental.region)
        gpu_seconds = seconds * rental.gpu_count
        step.rows.add_up(GpuUse, what, gpu_seconds=gpu_seconds)
        step.rows.add_up(WalletGpuUse, (rental.renter, *what), gpu_seconds=gpu_seconds)


def by_month(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The months in UTC that a time touches, and the seconds of it in each."""
    while begin < end:
        at = datetime.fromtimestamp(begin, UTC)
        following = datetime(at.year + at.month // 12, at.month % 12 + 1, 1, tzinfo=UTC)
        until = min(end, int(following.timestamp()))
        yield at.year * 100 + at.month, until - begin
        begin = until
