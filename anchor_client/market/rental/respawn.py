"""Rents on elsewhere, for its renter, when a machine is taken away or fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from anchor_client.backoff import Backoff
from anchor_client.errors import GpuMarketError, NothingAvailable
from anchor_client.generated.types import CloseReason
from anchor_client.market.area import Area
from anchor_client.market.jobs import Jobs
from anchor_client.market.rental.actions import RentalActions
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.orders import Workload
from anchor_client.resources.job import Job, JobStatus

LOST: Final = frozenset(
    {
        CloseReason.PREEMPTED,
        CloseReason.OUTBID,
        CloseReason.TAKE_OVER_TIMEOUT,
        CloseReason.PROVISION_TIMEOUT,
        CloseReason.HOST_OFFLINE,
        CloseReason.HOST_FAULT,
        CloseReason.HOST_MAINTENANCE,
        CloseReason.ORDER_UNDELIVERED,
        CloseReason.ORDER_UNREADABLE,
    }
)
"""Ends that are neither the renter's doing nor their order's, so that another machine may do."""
LOOK_AGAIN: Final = Backoff(first=5.0, most=60.0)
"""Between two looks for a machine that fits, while there is none."""


class Respawn(Area):
    """Keeps a workload running for the time that was ordered, on one machine after another."""

    async def run(
        self, wanted: RentalWanted, workload: Workload, *, attempts: int
    ) -> AsyncGenerator[Job | JobStatus | GpuMarketError, None]:
        """Each rental as it is opened, its states, how it ended, and why there is no machine for a while.

        After an end in LOST the rest of the time is ordered again, `attempts` rentals in all, never twice on a listing.
        Ends with a rental that ended otherwise, with the last of the attempts, or once all the time has been used.
        Raises what RentalActions.open raises, NothingAvailable only for the first rental.
        """
        left, avoided = wanted.duration, wanted.avoided
        for attempt in range(attempts):
            wish = replace(wanted, duration=left, avoided=avoided, listing=None if attempt else wanted.listing)
            job: Job | None = None
            async for found in self._open(wish, workload, waits=attempt > 0):
                yield found
                job = found if isinstance(found, Job) else None
            assert job is not None
            jobs = Jobs(self.session)
            async with aclosing(jobs.watch(job.id)) as states:
                async for state in states:
                    yield state
            ended = await jobs.with_history(job.id)
            yield ended
            left -= ended.used or 0
            if ended.close_reason not in LOST or left <= 0:
                return
            avoided = (*avoided, ended.listing)

    async def _open(
        self, wanted: RentalWanted, workload: Workload, *, waits: bool
    ) -> AsyncGenerator[Job | NothingAvailable, None]:
        """The rental; before it why there is none yet, once, if it `waits` for one."""
        failures = 0
        while True:
            try:
                yield await RentalActions(self.session).open(wanted, workload)
                return
            except NothingAvailable as error:
                if not waits:
                    raise
                if failures == 0:
                    yield error
            failures += 1
            await asyncio.sleep(LOOK_AGAIN.spread(failures))
