"""Cranks turned again and again by one keeper."""

from __future__ import annotations

from collections.abc import Mapping

from keeper.cranks import CrankRunner
from keeper.metrics import KeeperMetrics
from keeper.names import CrankName
from keeper.record import KeeperRecord
from keeper.settings import KeeperSettings
from keeper.tasks import FindDue
from tests.markets.parties import World


class Cranking:
    """A runner and its books."""

    def __init__(
        self, world: World, settings: KeeperSettings, cranks: Mapping[CrankName, FindDue] | None = None
    ) -> None:
        self.metrics = KeeperMetrics()
        self.record = KeeperRecord(self.metrics)
        self.runner = CrankRunner(settings, world.reader, self.record, cranks)

    async def tasks(self) -> list[str]:
        """Turns the cranks; the tasks of what has been done this time."""
        before = len(self.record.summary.cranks)
        await self.runner.run_once()
        return [done.task for done in self.record.summary.cranks[before:]]

    def value(self, name: str, **labels: str) -> float | None:
        """A metric's value; None before its first."""
        return self.metrics.registry.get_sample_value(f"gpu_market_keeper_{name}", labels)
