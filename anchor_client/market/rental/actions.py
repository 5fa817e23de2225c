"""Actions on rentals: by the renter, by the host, and by anyone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import InvalidOrder, OrderNotSealed, UnknownJob, WalletNeeded
from anchor_client.generated import instructions as build
from anchor_client.generated.events import RentalAccepted, RentalOpened
from anchor_client.generated.types import CloseReason, RentalIssue
from anchor_client.market.again import again
from anchor_client.market.area import Area
from anchor_client.market.purse import Purse
from anchor_client.market.rental.ending import Build, RentalEnding
from anchor_client.market.rental.matcher import matcher_account
from anchor_client.market.rental.plan import RentalPlanner
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.payment_tokens import payout_bump
from anchor_client.resources.job import Job
from anchor_client.rules.image import cuda_of
from anchor_client.rules.renter_profile import first_nonce
from anchor_client.solana.transactions import Sent

if TYPE_CHECKING:
    from anchor_client.connection import Connection
    from anchor_client.market.rental.note import Note
    from anchor_client.market.rental.opening import Before
    from anchor_client.orders import Workload
    from anchor_client.sealing import SealKey


@dataclass(frozen=True, slots=True)
class Access:
    """A renter's access to their machine."""

    connection: Connection
    key: SealKey | None
    """The order's, from which its SSH key follows unless the order named another; None if it was made elsewhere."""


class RentalActions(Area):
    """Instructions about rentals: those of their renter, of their host, and of anyone."""

    @property
    def plan(self) -> RentalPlanner:
        """The renter's actions as instructions, to be signed elsewhere."""
        return RentalPlanner(self.reads)

    async def open(
        self, wanted: RentalWanted, workload: Workload | None = None, *, before: Before | None = None
    ) -> Job:
        """Rents a machine: the one named, or the best idle one that fits. Tries the next one when another renter is
        faster, and another nonce when the wallet itself is.

        The order document is made, sealed and delivered from `workload`; `wanted.order_hash` alone names one that is
        delivered by other means. `before` hears the plan before anything is signed.
        Raises InvalidOrder, and what RentalPlanner.open and `deliver_order` raise.
        """
        from anchor_client.market.rental.opening import (  # noqa: PLC0415 - sealing takes long, and few acts need it
            new_document,
            open_rental,
        )

        document = None if workload is None else new_document(self.session, workload)
        if document is not None:
            wanted = replace(wanted, order_hash=document.order_hash, cuda=cuda_of(document.image))
        if not wanted.order_hash:
            raise InvalidOrder("A rental needs an order or the hash of one")
        async with self.session.one_order_at_a_time:
            return await open_rental(self.session, self.plan, wanted, document, before)

    async def connection(self, job: Pubkey) -> Connection | None:
        """Connection to the machine of the wallet's rental; None until its host has accepted.

        Opened with the order's key, or the wallet's when the host had no order. Raises UnknownJob, OrderNotSealed.
        """
        access = await self.access(job)
        return None if access is None else access.connection

    async def access(self, job: Pubkey) -> Access | None:
        """The same, with the order's key if it is kept here."""
        opened, accepted = await self._sealed(job)
        if accepted is None:
            return None
        key = self.session.renter_keys.find(opened.order_hash)
        from anchor_client.connection import Connection  # noqa: PLC0415 - as above
        from anchor_client.sealing import SealKey  # noqa: PLC0415 - as above

        keys = [] if key is None else [key]
        with suppress(WalletNeeded):  # the order's key is enough where the wallet's is elsewhere
            keys.append(SealKey.of_wallet(self.session.wallet))
        try:
            return Access(Connection.opened(accepted.connection, keys), key)
        except OrderNotSealed as error:
            if key is not None:
                raise
            raise OrderNotSealed(
                f"The key of the order of {job} is not on this computer: it was ordered elsewhere, as in a browser",
                "Save it there (on the dashboard's page of the job), then: `gpu-market job import-key FILE`.",
            ) from error

    async def import_key(self, job: Pubkey, key: SealKey) -> bool | None:
        """Keeps the key of an order that was made elsewhere; False if one is kept already, None while the host has not
        accepted, and so nothing shows whose key it is. UnknownJob; OrderNotSealed unless it opens the connection.
        """
        opened, accepted = await self._sealed(job)
        if accepted is None:
            return None
        from anchor_client.sealing import unseal  # noqa: PLC0415 - as above

        unseal(accepted.connection, key)
        if self.session.renter_keys.find(opened.order_hash) is not None:
            return False
        self.session.renter_keys.keep(opened.order_hash, key)
        return True

    async def _sealed(self, job: Pubkey) -> tuple[RentalOpened, RentalAccepted | None]:
        """The start of a rental, and its acceptance, which has the sealed connection. UnknownJob."""
        events = [item.event for item in await self.session.history.events(job)]
        opened = next((event for event in events if isinstance(event, RentalOpened)), None)
        if opened is None:
            raise UnknownJob(f"No rental has ever been at {job}")
        return opened, next((event for event in events if isinstance(event, RentalAccepted)), None)

    async def extend(self, job: Pubkey, seconds: int, *, max_cost: int | None = None) -> Sent:
        """Buys `seconds` more for a running rental at its own rates, for at most `max_cost` base units."""
        plan = await self.plan.extend(self.address, job, seconds, max_cost=max_cost)
        return await self.send(*plan.instructions)

    @again
    async def stop(self, job: Pubkey, *, issue: str | RentalIssue | None = None) -> Job:
        """Ends a rental: seconds used are paid, the rest is back in the same transaction.

        `issue` also reports what is wrong with the machine, as `report_issue` does. UnknownJob, UnknownIssue.
        """
        plan = await self.plan.stop(self.address, job, issue=issue)
        return await self._ended(plan.ending, plan.instructions)

    async def report_issue(self, job: Pubkey, issue: str | RentalIssue) -> Sent:
        """Reports a fault of the machine without ending the rental.

        Within an hour of the start `not-as-listed` waives the least charge and weighs against the host what the renter
        has paid in ended rentals, if that is no less than the charge and no report has weighed it yet. UnknownJob,
        UnknownIssue.
        """
        return await self.send(await self.plan.report_issue(self.address, job, issue))

    async def rate(self, job: Pubkey, rating: int) -> Sent:
        """Rates a rental once, 1 to 5, after the market's `min_rated_seconds`: while it runs, or once it has
        finished as long as it may be contested. UnknownJob.
        """
        rental = await self.reads.rateable_rental(job)
        return await self.act(build.rate_rental, rating=rating, renter=self.address, rental=job, rental_data=rental)

    async def register(self) -> Sent:
        """Creates the wallet's profile; `open` does so if there is none."""
        first = first_nonce((await self.reads.program.clock()).slot)
        return await self.act(build.register_renter, caller=self.address, wallet=self.address, first_nonce=first)

    async def unregister(self) -> Sent:
        """Closes the wallet's profile, which has no rentals, for its rent; `open` makes another, without history."""
        return await self.act(build.close_renter, wallet=self.address)

    async def accept(self, job: Pubkey, connection: bytes) -> Sent:
        """Takes an order and hands over the connection, sealed to the key in the order. The operator.

        UnknownJob.
        """
        rental = await self.reads.rental(job)
        # A host that could not be paid would have to claim before the next order.
        purse = Purse.of_host(self.address, await self.reads.listing(rental.listing), rental.mint)
        accepting = self.instruction(
            build.accept_rental, connection=connection, operator=self.address, rental=job, rental_data=rental
        )
        return await self.send(*purse.around(accepting))

    async def start(self, job: Pubkey) -> Sent:
        """The machine is up: the meter starts, and whoever matched a request is paid. The operator. UnknownJob."""
        rental = await self.reads.rental(job)
        listing = await self.reads.listing(rental.listing)
        return await self.act(
            build.start_rental,
            operator=self.address,
            rental=job,
            rental_data=rental,
            remaining_accounts=matcher_account(rental, listing),
        )

    @again
    async def cancel(self, job: Pubkey, reason: CloseReason = CloseReason.HOST_FAULT, note: Note | None = None) -> Job:
        """Gives a rental up; the holdback goes to the renter. Before the start an order can be refused.

        `note` says what has gone wrong, to the renter alone. The operator. UnknownJob.
        """
        ending = await RentalEnding.read(self.reads, self.address, job)
        memos = () if note is None else (note.memo(),)
        return await self._ended(ending, (*ending.into(build.cancel_rental, reason=reason), *memos))

    async def note(self, job: Job) -> str | None:
        """The host's message to the renter as it gave a rental up; None if there is none, or if the order's key is not
        kept here. These are the host's words: nobody vouches for them."""
        key = self.session.renter_keys.find(job.order_hash)
        if job.close_tx is None or key is None:
            return None
        memo = await self.session.history.memo(job.id, job.close_tx)
        if memo is None:
            return None
        from anchor_client.market.rental.note import note_in  # noqa: PLC0415 - as above

        return note_in(memo, key)

    async def settle(self, job: Pubkey) -> Sent:
        """Pays the host what a running rental has earned so far; with nothing new to pay it changes nothing. Anyone.

        The operator's counts as a heartbeat of the machine, and pays up to now.
        """
        rental = await self.reads.rental(job)
        listing = await self.reads.listing(rental.listing)
        purse = Purse.of_host(self.address, listing, rental.mint)
        settling = self.instruction(
            build.settle_rental,
            caller=self.address,
            rental=job,
            rental_data=rental,
            host_payout=purse.address,
            payout_bump=payout_bump(listing.authority, rental.mint),
        )
        return await self.send(*purse.around(settling))

    async def claim_refund(self, job: Pubkey) -> Sent:
        """Pays a renter what an ended rental could not refund them, and returns its rent. Anyone. UnknownJob."""
        rental = await self.reads.owing_rental(job)
        purse = Purse.receiving(self.address, rental.renter, rental.mint)
        claiming = self.instruction(
            build.claim_refund, caller=self.address, rental=job, rental_data=rental, renter_payout=purse.address
        )
        return await self.send(*purse.around(claiming))

    async def finish(self, job: Pubkey, exit_code: int) -> Job:
        """Ends a rental whose command has ended with `exit_code` (0 to 255), if its renter has agreed. The operator."""
        return await self._end(job, build.finish_rental, exit_code=exit_code)

    async def contest_finish(self, job: Pubkey) -> Sent:
        """Denies that the command of a finished rental had ended: its host loses the holdback, and it weighs as a
        report does. It changes nothing for the renter, who signs. UnknownJob.
        """
        rental = await self.reads.finished_rental(job)
        listing = await self.reads.listing(rental.listing)
        return await self.act(build.contest_finish, rental=job, rental_data=rental, listing_data=listing)

    async def release_holdback(self, job: Pubkey) -> Sent:
        """Pays a host the holdback of a finished rental that can no longer be contested, and returns the renter's rent.
        Anyone. UnknownJob.
        """
        rental = await self.reads.finished_rental(job)
        purse = Purse.of_host(self.address, await self.reads.listing(rental.listing), rental.mint)
        releasing = self.instruction(
            build.release_holdback, caller=self.address, rental=job, rental_data=rental, host_payout=purse.address
        )
        return await self.send(*purse.around(releasing))

    async def finalize(self, job: Pubkey) -> Job:
        """Ends a rental whose paid time is over. Anyone, for the tip."""
        return await self._end(job, build.finalize_rental)

    async def report_offline(self, job: Pubkey) -> Job:
        """Ends a rental whose host has gone silent; the renter is compensated. Anyone, for the tip."""
        return await self._end(job, build.report_offline)

    async def cancel_unstarted(self, job: Pubkey) -> Job:
        """Ends a rental that its host did not start in time, with a full refund. Anyone, for the tip; of a request
        that was matched for their fee."""
        return await self._end(job, build.cancel_unstarted)

    @again
    async def _end(self, job: Pubkey, build: Build, **arguments: Any) -> Job:
        ending = await RentalEnding.read(self.reads, self.address, job)
        return await self._ended(ending, ending.into(build, **arguments))

    async def _ended(self, ending: RentalEnding, instructions: Sequence[Instruction]) -> Job:
        return await ending.job(await self.send(*instructions))
