"""market.jobs: look rentals up and follow them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from solders.clock import Clock
from solders.pubkey import Pubkey

from anchor_client.errors import UnknownJob
from anchor_client.generated import events
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.market.job import Life, Record, RentalEvent, account_progress, job_of
from anchor_client.market.session import Session
from anchor_client.resources.job import Job, JobStatus
from anchor_client.rules.rental import has_ended


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
        rental = None if life.record.ended_at is not None else await self._reads.program.read(Rental, job)
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
        """Every state of a rental once, from its opening to its end, as it is entered.

        Woken by the node's account notifications, and by time when there are none. UnknownJob.
        Who leaves before the end closes it (`contextlib.aclosing`), which ends its subscription.
        """
        seen, life = None, Life()
        async with self._session.wakeups.of(job) as wakeups:
            async for _ in wakeups:
                found = await self._history.events(job, after=seen)
                if seen is None and not found and await self._reads.program.account(job) is None:
                    raise UnknownJob(f"No rental has ever been at {job}")
                for item in found:
                    seen = item.signature
                    status = life.tell(item)
                    if status is not None and not isinstance(item.event, events.RentalExtended):
                        yield status
                    if isinstance(item.event, events.RentalClosed):
                        return

    async def events(self, job: Pubkey) -> Sequence[RentalEvent]:
        """Every event of a rental with its transaction, oldest first."""
        return await self._history.events(job)

    async def _of_account(self, address: Pubkey, rental: Rental, listing: Listing, clock: Clock) -> Job:
        record, token = Record.of_account(address, rental, listing.host), await self._reads.denomination(rental.mint)
        return job_of(record, listing, token, progress=account_progress(rental, listing, clock))
