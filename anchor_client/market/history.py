"""What happened to a rental, read from its transactions: an ended one has no account any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Commitment
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.generated.accounts import Listing
from anchor_client.generated.events import (
    RentalAccepted,
    RentalClosed,
    RentalExtended,
    RentalOpened,
    RentalPreempting,
    RentalStarted,
    RentalTookOver,
)
from anchor_client.market.job import LIVE_MESSAGES, WAITING_MESSAGE, Job, JobStatus
from anchor_client.market.kinds import END_STATES, JobState
from anchor_client.rpc import rpc_errors
from anchor_client.rules.catalog import gpu_slug, region_slug
from anchor_client.transactions.details import TransactionDetails, read_details
from anchor_idl.runtime.structs import Event

PAGE: Final = 1_000
CONCURRENT_READS: Final = 16
PREEMPTING_MESSAGE: Final = "A better order waits: save your work, the machine is handed over"


@dataclass(frozen=True, slots=True)
class RentalEvent:
    """One event of a rental and the transaction that it came in."""

    event: Event
    signature: Signature
    slot: int


class RentalHistory:
    """Reads the events of rentals from their transactions, oldest first."""

    def __init__(self, client: AsyncClient, *, commitment: Commitment, program_id: Pubkey) -> None:
        self.client = client
        self.commitment = commitment
        self.program_id = program_id

    async def events(self, rental: Pubkey, *, after: Signature | None = None) -> list[RentalEvent]:
        """The events of a rental, or those after a transaction. Network errors, DetailsUnavailable."""
        signatures = await self.signatures(rental, after=after)
        found: list[RentalEvent] = []
        for start in range(0, len(signatures), CONCURRENT_READS):
            part = signatures[start : start + CONCURRENT_READS]
            groups = await asyncio.gather(*(self.events_in(rental, signature) for signature in part))
            found.extend(event for group in groups for event in group)
        return found

    async def signatures(self, rental: Pubkey, *, after: Signature | None = None) -> list[Signature]:
        """Transactions that name a rental and succeeded, oldest first."""
        found: list[Signature] = []
        before: Signature | None = None
        while True:
            with rpc_errors(self.client):
                response = await self.client.get_signatures_for_address(
                    rental, before=before, until=after, limit=PAGE, commitment=self.commitment
                )
            page = response.value
            found.extend(status.signature for status in page if status.err is None)
            if len(page) < PAGE:
                return found[::-1]
            before = page[-1].signature

    async def events_in(self, rental: Pubkey, signature: Signature) -> list[RentalEvent]:
        """The events of a rental in one transaction."""
        details = await read_details(self.client, signature, commitment=self.commitment, program_id=self.program_id)
        return events_of_rental(rental, details)


def job_of(events: Iterable[RentalEvent], listing: Listing | None, token: str) -> Job | None:
    """The job that a rental's events tell of; None when its opening is not among them."""
    job: Job | None = None
    for item in events:
        if isinstance(item.event, RentalOpened):
            job = _opened(item.event, item.signature, listing, token)
        elif job is not None:
            job = advanced(job, item)
    return job


def events_of_rental(rental: Pubkey, details: TransactionDetails) -> list[RentalEvent]:
    """The events of a rental in a transaction."""
    mine = (event for event in details.events if getattr(event, "rental", None) == rental)
    return [RentalEvent(event, details.signature, details.slot) for event in mine]


def status_of(item: RentalEvent, before: JobState = JobState.QUEUED) -> JobStatus | None:
    """The state that an event brings a rental into, or the warning that it is about to lose its machine, still in the
    state `before`; None when nothing changes for it."""
    match item.event:
        case RentalOpened(at=at, is_challenger=waits):
            message = WAITING_MESSAGE if waits else LIVE_MESSAGES[JobState.QUEUED]
            return JobStatus(JobState.QUEUED, at, message, item.signature)
        case RentalTookOver(at=at):
            return JobStatus(JobState.QUEUED, at, LIVE_MESSAGES[JobState.QUEUED], item.signature)
        case RentalPreempting(at=at, preempt_at=preempt_at):
            return JobStatus(before, at, PREEMPTING_MESSAGE, item.signature, preempt_at)
        case RentalAccepted(at=at):
            return JobStatus(JobState.PROVISIONING, at, LIVE_MESSAGES[JobState.PROVISIONING], item.signature)
        case RentalStarted(at=at):
            return JobStatus(JobState.RUNNING, at, LIVE_MESSAGES[JobState.RUNNING], item.signature)
        case RentalClosed(at=at, reason=reason):
            state, message = END_STATES[reason]
            return JobStatus(state, at, message, item.signature)
    return None


def _opened(event: RentalOpened, signature: Signature, listing: Listing | None, token: str) -> Job:
    message = WAITING_MESSAGE if event.is_challenger else LIVE_MESSAGES[JobState.QUEUED]
    status = JobStatus(JobState.QUEUED, event.at, message, signature)
    return Job(
        id=event.rental,
        state=status.state,
        message=status.message,
        renter=event.renter,
        listing=event.listing,
        mint=event.mint,
        token=token,
        kind=event.kind,
        gpu=gpu_slug(listing.gpu_model) if listing is not None else None,
        region=region_slug(listing.region) if listing is not None else None,
        duration=event.duration,
        deposit=event.deposit,
        subsidy=event.subsidy,
        rate=event.rate,
        rate_usd=event.rate_usd,
        cost=event.deposit,
        created_at=event.at,
        started_at=None,
        order_hash=event.order_hash,
        open_tx=signature,
        tip_lamports=event.tip_lamports,
        history=(status,),
    )


def advanced(job: Job, item: RentalEvent) -> Job:
    """The job after its next event."""
    event, status = item.event, status_of(item, job.state)
    if status is not None:
        preempt_at = None if status.state.is_final else status.preempt_at or job.preempt_at
        history = (*job.history, status)
        job = replace(job, state=status.state, message=status.message, preempt_at=preempt_at, history=history)
    match event:
        case RentalStarted():
            return replace(job, started_at=event.at)
        case RentalExtended():
            deposit = job.deposit + event.deposit_added
            subsidy = job.subsidy + event.subsidy_added
            return replace(job, duration=event.new_duration, deposit=deposit, cost=deposit, subsidy=subsidy)
        case RentalClosed():
            return replace(
                job,
                deposit=event.deposit,
                subsidy=event.subsidy,
                cost=event.deposit - event.refunded,
                ended_at=event.at,
                end_tx=item.signature,
                burn_tx=item.signature if event.burned else None,
                reason=event.reason,
                used=event.used,
                burned=event.burned,
                host_paid=event.paid,
                fees=event.fees,
                refunded=event.refunded,
                subsidy_returned=event.subsidy_returned,
                closed_by=event.closed_by,
            )
    return job
