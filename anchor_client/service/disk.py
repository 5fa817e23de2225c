"""Room on the disk that a service writes to."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector


class DiskMetrics(Collector):
    """Collects size and free space of the file system of a folder, as of now; nothing while it cannot be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        """prometheus_client's."""
        try:
            usage = shutil.disk_usage(self._folder)
        except OSError:
            return []
        return [
            GaugeMetricFamily("gpu_market_disk_bytes", "Size of the disk that the service writes to.", usage.total),
            GaugeMetricFamily("gpu_market_disk_free_bytes", "What of it is free.", usage.free),
        ]
