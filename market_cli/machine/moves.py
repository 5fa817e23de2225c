"""Moves the workspace of a respawned job."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.market import Job, JobState
from anchor_client.market.rental.respawn import LOST
from anchor_client.resources.job import JobStatus
from market_cli.machine.carrying import Carrier, carrying
from market_cli.machine.reach import JobReach, reach
from market_cli.paths import carried_directory
from market_cli.session import CliSession


class Moves:
    """Notifies a carrier of machines that run, are about to be lost, or are lost."""

    def __init__(self, session: CliSession, carrier: Carrier) -> None:
        self._session = session
        self._carrier = carrier
        self._job: Pubkey | None = None
        self._machine: JobReach | None = None

    async def see(self, happened: Job | JobStatus) -> None:
        """Handles an opened or ended rental, or a state of the last one."""
        if isinstance(happened, JobStatus):
            if happened.status is JobState.RUNNING and self._machine is None:
                await self._runs()
            elif happened.preempt_at is not None and self._machine is not None:
                self._carrier.warned(self._machine, happened.preempt_at - happened.ts)
        elif not happened.status.is_final:
            self._job = happened.id
        elif self._machine is not None:
            if happened.close_reason in LOST:
                self._carrier.lost(self._machine)
            self._machine = None

    async def _runs(self) -> None:
        try:
            self._machine = await reach(self._session, str(self._job))
        except GpuMarketError as error:
            self._session.out.warn(f"The workspace cannot move with the job: {error.message}. {error.remedy}")
        else:
            self._carrier.arrived(self._machine)


@asynccontextmanager
async def moves(session: CliSession) -> AsyncIterator[Moves]:
    """Moves a job's workspace while the context lasts."""
    async with carrying(carried_directory(), session.out.note, session.out.warn) as carrier:
        yield Moves(session, carrier)
