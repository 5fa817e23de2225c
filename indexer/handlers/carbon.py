"""GPU-seconds by month, which carbon is reckoned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from indexer.handlers.step import Step
from indexer.models import GpuUse, Rental, WalletGpuUse


def count_use(step: Step, rental: Rental) -> None:
    """Counts what a rental that has just ended used, in each month that it ran in."""
    if rental.started_at is None or not rental.gpu_count:
        return
    for month, seconds in by_month(rental.started_at, rental.started_at + rental.used):
        what = {"month": month, "gpu_model": rental.gpu_model, "region": rental.region}
        _add(step, GpuUse, what, seconds * rental.gpu_count)
        _add(step, WalletGpuUse, {"wallet": rental.renter, **what}, seconds * rental.gpu_count)


def _add(step: Step, kind: type[GpuUse | WalletGpuUse], key: Mapping[str, Any], gpu_seconds: int) -> None:
    use = step.rows.change(kind, *key.values())
    if use is None:
        step.rows.add(kind(**key, gpu_seconds=gpu_seconds))
    else:
        use.gpu_seconds += gpu_seconds


def by_month(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The months in UTC that a time touches, and the seconds of it in each."""
    while begin < end:
        at = datetime.fromtimestamp(begin, UTC)
        following = datetime(at.year + at.month // 12, at.month % 12 + 1, 1, tzinfo=UTC)
        until = min(end, int(following.timestamp()))
        yield at.year * 100 + at.month, until - begin
        begin = until
