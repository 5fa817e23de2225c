"""market.jobs: look rentals up and follow them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import Final

from solders.clock import Clock
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client import market
from anchor_client.errors import API_FAILURES, UnknownJob, WrongApi
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.kinds import LIVE_STATES, JobState
from anchor_client.market.job import JobRecord, Life, RentalEvent, account_progress, job_of
from anchor_client.market.rental.delivery import handing_over
from anchor_client.market.session import Session
from anchor_client.resources.job import Job, JobStatus
from anchor_client.rules.rental import has_ended

LAG_SECONDS: Final = 10.0
"""Seconds by which a node may lag behind the API's."""


class Jobs:
    """Rentals of anyone, alive or ended. Every method raises the network's errors."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reads = session.reads
        self._history = session.history

    async def get(self, job: Pubkey) -> Job:
        """A rental as it stands or as it ended. UnknownJob when none was ever at this address."""
        rental = await self._reads.program.read(Rental, job)
        if rental is None or has_ended(rental):
            return await self.with_history(job)
        clock = await self._reads.program.clock()
        return await self._of_account(job, rental, await self._reads.listing(rental.listing), clock)

    async def with_history(self, job: Pubkey) -> Job:
        """A rental with all that happened to it, read from all of its transactions. UnknownJob."""
        life = Life.told(await self._history.events(job))
        if life.record is None:
            raise UnknownJob(f"No rental has ever been at {job}")
        listing = await self._reads.program.read(Listing, Pubkey.from_string(life.record.listing))
        rental = None
        if life.record.ended_at is None:
            rental = await self._reads.program.read(Rental, job)
        progress = None
        if rental is not None and listing is not None:
            progress = account_progress(rental, listing, await self._reads.program.clock())
        return life.job(listing, await self._reads.denomination(Pubkey.from_string(life.record.mint)), progress)

    async def list(self, renter: Pubkey) -> Sequence[Job]:
        """The rentals of a wallet that have not ended, newest first."""
        rentals = await self._reads.rentals(renter=renter)
        if not rentals:
            return []
        listings = await self._reads.program.read_known(Listing, (rental.listing for rental in rentals.values()))
        clock = await self._reads.program.clock()
        jobs = [
            await self._of_account(address, rental, listings[rental.listing], clock)
            for address, rental in rentals.items()
            if rental.listing in listings
        ]
        return sorted(jobs, key=lambda job: (job.created_at, bytes(job.id)), reverse=True)

    async def owing(self, renter: Pubkey) -> Sequence[Job]:
        """The rentals of a wallet that have ended and still owe it a refund."""
        return [await self.with_history(address) for address in await self._reads.owing_rentals(renter)]

    async def watch(self, job: Pubkey) -> AsyncGenerator[JobStatus, None]:
        """Every state of a rental once, from its opening to its end, as it is entered. UnknownJob.

        The market's API reports it where one is known, and no state is passed on before the chain has it. Without an
        API, or with one that is unreliable, the chain is read: woken by the node's account notifications, and by time.
        The order is handed over again until it runs. Callers that leave before the end close the iterator
        (`contextlib.aclosing`), which ends its subscription.
        """
        passed_on: set[JobStatus] = set()
        async with handing_over(self._session, job) as repeating:
            for source in (self._told, self._read):
                async with aclosing(source(job)) as statuses:
                    async for status in statuses:
                        if status in passed_on:
                            continue
                        passed_on.add(status)
                        if status.status is JobState.RUNNING:
                            repeating.cancel()
                        yield status
                        if status.status.is_final:
                            return

    async def _told(self, job: Pubkey) -> AsyncGenerator[JobStatus, None]:
        """The states that the API reports, the last of which the chain has reached."""
        session = self._session
        feed = self._session.feed
        if feed is None:
            return

        async def is_current(last: Job | None) -> bool:
            told = None if last is None or last.status.is_final else last.status
            return await self._live_state(job) is told

        try:
            async with aclosing(market.follow_state(feed, f"job:{job}", Job, is_current)) as found:
                async for one in found:
                    if not await self._reaches(job, one.status):
                        raise WrongApi(f"{feed.endpoint} and the chain disagree about {job}")
                    for status in one.history or ():
                        yield status
        except API_FAILURES as error:
            session.on_feed_lost(error)

    async def _reaches(self, job: Pubkey, state: JobState) -> bool:
        """True once the chain has a rental in this state; False after LAG_SECONDS, by which its node may lag behind the
        API's."""
        if await self._has_reached(job, state):
            return True
        with suppress(TimeoutError):
            async with asyncio.timeout(LAG_SECONDS), self._session.wakeups.of(job) as wakeups:
                async for _ in wakeups:
                    if await self._has_reached(job, state):
                        return True
        return False

    async def _has_reached(self, job: Pubkey, state: JobState) -> bool:
        """True where the chain has a rental in this state or a later one."""
        live = await self._live_state(job)
        return live is None or state in LIVE_STATES[: LIVE_STATES.index(live) + 1]

    async def _live_state(self, job: Pubkey) -> JobState | None:
        """State of a rental on the chain; None once it has ended."""
        rental = await self._reads.program.read(Rental, job)
        return None if rental is None or has_ended(rental) else LIVE_STATES[rental.state]

    async def _read(self, job: Pubkey) -> AsyncGenerator[JobStatus, None]:
        """The states that the chain shows."""
        known: list[Signature] = []
        life = Life()
        async with self._session.wakeups.of(job) as wakeups:
            async for _ in wakeups:
                found = await self._history.events(job, known=known)
                if not known and not found and await self._reads.program.account(job) is None:
                    raise UnknownJob(f"No rental has ever been at {job}")
                for item in found:
                    known.append(item.signature)
                    status = life.tell(item)
                    if status is not None:
                        yield status

    async def events(self, job: Pubkey) -> Sequence[RentalEvent]:
        """Every event of a rental with its transaction, oldest first."""
        return await self._history.events(job)

    async def _of_account(self, address: Pubkey, rental: Rental, listing: Listing, clock: Clock) -> Job:
        record = JobRecord.of_account(address, rental, listing.host)
        token = await self._reads.denomination(rental.mint)
        return job_of(record, listing, token, progress=account_progress(rental, listing, clock))
