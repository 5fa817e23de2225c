"""market.jobs: look rentals up and follow them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from solders.pubkey import Pubkey

from anchor_client.errors import UnknownJob
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.events import RentalClosed
from anchor_client.market.history import RentalEvent, RentalHistory, job_of, status_of
from anchor_client.market.job import Job, JobStatus
from anchor_client.market.kinds import JobState
from anchor_client.market.reads import MarketReader
from anchor_client.market.wakeups import AccountWakeups


class Jobs:
    """Rentals of anyone, alive or ended. Every method raises the network's errors."""

    def __init__(self, reads: MarketReader, history: RentalHistory, wakeups: AccountWakeups) -> None:
        self._reads = reads
        self.wakeups = wakeups
        self._history = history

    async def get(self, job: Pubkey) -> Job:
        """A rental as it stands or as it ended. UnknownJob when none was ever at this address."""
        rental = await self._reads.program.read(Rental, job)
        if rental is None:
            return await self.with_history(job)
        tokens, listing = await self._reads.tokens(), await self._reads.program.read(Listing, rental.listing)
        return Job.live(job, rental, listing, tokens.symbol(rental.mint))

    async def with_history(self, job: Pubkey) -> Job:
        """A rental with every state it went through, read from all of its transactions. UnknownJob."""
        events = await self._history.events(job)
        found = await self._tell(events)
        if found is None:
            raise UnknownJob(f"No rental has ever been at {job}")
        return found

    async def list(self, renter: Pubkey) -> Sequence[Job]:
        """The rentals of a wallet that have not ended, newest first."""
        rentals, tokens = await self._reads.rentals(renter=renter), await self._reads.tokens()
        addresses = list(dict.fromkeys(rental.listing for rental in rentals.values()))
        found = await self._reads.program.read_many(Listing, addresses)
        listings = dict(zip(addresses, found, strict=True))
        jobs = [
            Job.live(address, rental, listings[rental.listing], tokens.symbol(rental.mint))
            for address, rental in rentals.items()
        ]
        return sorted(jobs, key=lambda job: (job.created_at, bytes(job.id)), reverse=True)

    async def watch(self, job: Pubkey) -> AsyncGenerator[JobStatus, None]:
        """The states that a rental has gone through and goes through, in order, each once; ends with a final one.

        A spot rental's warning, with `preempt_at`, comes in the state that the rental stays in until then.

        Woken by the node's account notifications, and by time when there are none. UnknownJob.
        """
        seen, state = None, JobState.QUEUED
        async with self.wakeups.of(job) as wakeups:
            async for _ in wakeups:
                events = await self._history.events(job, after=seen)
                if seen is None and not events and await self._reads.program.account(job) is None:
                    raise UnknownJob(f"No rental has ever been at {job}")
                for item in events:
                    seen = item.signature
                    status = status_of(item, state)
                    if status is not None:
                        state = status.state
                        yield status
                    if isinstance(item.event, RentalClosed):
                        return

    async def events(self, job: Pubkey) -> Sequence[RentalEvent]:
        """Every event of a rental with its transaction, oldest first."""
        return await self._history.events(job)

    async def _tell(self, events: Sequence[RentalEvent]) -> Job | None:
        told = job_of(events, None, "")
        if told is None:
            return None
        tokens, listing = await self._reads.tokens(), await self._reads.program.read(Listing, told.listing)
        return job_of(events, listing, tokens.symbol(told.mint))
