"""Chores done again and again by one keeper."""

from __future__ import annotations

from keeper.chores.chore import Chore
from keeper.chores.runner import ChoreRunner
from keeper.metrics import KeeperMetrics
from keeper.record import Record
from keeper.settings import KeeperSettings
from tests.keeper.world import World


class Doing:
    """A runner and its books."""

    def __init__(self, world: World, settings: KeeperSettings, *chores: Chore) -> None:
        self.metrics = KeeperMetrics()
        self.record = Record(self.metrics)
        self.runner = ChoreRunner(settings, world.reader, self.record, chores or None)

    async def tasks(self) -> list[str]:
        """Does the chores; the tasks of what has been done this time."""
        before = len(self.record.summary.chores)
        await self.runner.run_once()
        return [done.task for done in self.record.summary.chores[before:]]

    def value(self, name: str, **labels: str) -> float | None:
        """A metric's value; None before its first."""
        return self.metrics.registry.get_sample_value(f"gpu_market_keeper_{name}", labels)
