"""Lag of the index behind the chain, worked out when it is asked for, so that it grows while a look hangs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from indexer.status import Status


class Lag(Collector):
    """Collects a status as of now, and the number of notifications without a look since; `waiting` counts those."""

    def __init__(self, status: Status, waiting: Callable[[], int]) -> None:
        self._status = status
        self._waiting = waiting

    def collect(self) -> Iterable[Metric]:
        """prometheus_client's."""
        status = self._status
        head = self._status.head_now
        gauges = {
            "head_slot": ("Newest slot of the chain: the last reported one, plus the time since.", head),
            "complete_slot": ("The index holds everything up to here.", status.complete_slot),
            "lag_slots": ("Slots since the one that the index holds everything up to.", status.lag_slots),
            "lag_seconds": ("Seconds since the index was known to be complete.", status.lag_seconds),
            "notifications_waiting": ("Notified uses of the program that no look has answered yet.", self._waiting()),
        }
        return [
            GaugeMetricFamily(f"gpu_market_indexer_{name}", told, value=value) for name, (told, value) in gauges.items()
        ]
