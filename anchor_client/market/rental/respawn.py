"""Rents on elsewhere, for its renter, when a machine is taken away or fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, NothingAvailable
from anchor_client.generated.accounts import Rental
from anchor_client.generated.types import CloseReason, RentalKind
from anchor_client.kinds import parse_kind
from anchor_client.market.area import Area
from anchor_client.market.jobs import Jobs
from anchor_client.market.rental.actions import RentalActions
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.orders import Workload
from anchor_client.resources.job import Job, JobStatus
from anchor_client.rules.rental import has_ended, is_running
from anchor_client.service.backoff import Backoff

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
LOOK_SECONDS: Final = 15.0
"""Between looks at how much of its time a rental has used."""
LOOK_AGAIN: Final = Backoff(first=5.0, most=60.0)
"""Interval between two searches for a machine that fits."""

log = structlog.get_logger(__name__)


class Respawn(Area):
    """Keeps a workload running for the time that was ordered, on one machine after another."""

    async def run(
        self, wanted: RentalWanted, workload: Workload, *, attempts: int
    ) -> AsyncGenerator[Job | JobStatus | GpuMarketError, None]:
        """Each rental as it is opened, its states, how it ended, and why there is no machine for a while.

        After an end in LOST the rest of the time is ordered again, `attempts` rentals in all, never twice on a listing.
        Where the rest is less than the market takes, the least is ordered, and stopped once the rest has been used; a
        part of a reserved rental is ordered on demand.
        Ends with a rental that ended otherwise, with the last of the attempts, or once all the time has been used.
        Raises what RentalActions.open raises, NothingAvailable only for the first rental.
        """
        left = wanted.duration
        wish = wanted
        for attempt in range(attempts):
            job: Job | None = None
            async for found in self._open(wish, workload, waits=attempt > 0):
                yield found
                job = found if isinstance(found, Job) else None
            assert job is not None
            jobs = Jobs(self.session)
            stopping = asyncio.create_task(self._stop_after(job, left))
            try:
                async with aclosing(jobs.watch(job.id)) as states:
                    async for state in states:
                        yield state
            finally:
                stopping.cancel()
                await asyncio.wait({stopping})
            if not stopping.cancelled():
                stopping.result()
            ended = await jobs.with_history(job.id)
            yield ended
            left -= ended.used or 0
            if ended.close_reason not in LOST or left <= 0:
                return
            wish = _elsewhere(wish, left, ended.listing)

    async def _stop_after(self, job: Job, seconds: int) -> None:
        """Stops a rental after a number of used seconds, unless it has been extended."""
        failures = 0
        if job.duration <= seconds:
            return
        left = float(seconds)
        while left > 0:
            await asyncio.sleep(min(left, LOOK_SECONDS))
            try:
                rental = await self.reads.program.read(Rental, job.id)
                now = await self.reads.now()
                if rental is None or has_ended(rental) or rental.duration != job.duration:
                    return
                left = rental.started_at + seconds - now if is_running(rental) else seconds
                if left <= 0:
                    await RentalActions(self.session).stop(job.id)
            except GpuMarketError as error:
                failures += 1
                left = LOOK_AGAIN.spread(failures)
                log.warning("rental_not_stopped", rental=str(job.id), error=error.message)

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


def _elsewhere(wanted: RentalWanted, seconds: int, lost: Pubkey) -> RentalWanted:
    """The order's remaining time, on another listing. Only whole terms are reserved."""
    is_part = parse_kind(wanted.kind) is RentalKind.RESERVED and seconds != wanted.duration
    return replace(
        wanted,
        duration=seconds,
        kind=RentalKind.ON_DEMAND if is_part else wanted.kind,
        listing=None,
        avoided=(*wanted.avoided, lost),
        or_least=True,
    )
