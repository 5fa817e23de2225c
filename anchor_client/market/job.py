"""A rental from its renter's side, alive or ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.types import CloseReason, RentalKind
from anchor_client.market.kinds import LIVE_STATES, JobState
from anchor_client.rules.catalog import gpu_slug, region_slug
from anchor_client.rules.math import accrued_ceil

WAITING_MESSAGE: Final = "Waiting for the machine's holder to leave"
LIVE_MESSAGES: Final = {
    JobState.QUEUED: "Waiting for the host to accept",
    JobState.PROVISIONING: "The host is preparing the machine",
    JobState.RUNNING: "The machine is running",
}


@dataclass(frozen=True, slots=True)
class JobStatus:
    """A state that a rental entered at `ts` (unix seconds), by which transaction."""

    state: JobState
    ts: int
    message: str
    signature: Signature | None = None
    preempt_at: int | None = None
    """When the machine is handed to a better order, on the warning of it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One rental. Amounts are base units of `mint`, times unix seconds, rates base units per hour.

    While it lives, `cost` is its deposit: the most it costs as it stands; once it has ended, what it did cost.
    `burned`, `refunded`, `host_paid`, `fees`, `subsidy_returned` and `burn_tx` are known once it has ended.
    """

    id: Pubkey
    state: JobState
    message: str
    renter: Pubkey
    listing: Pubkey
    mint: Pubkey
    token: str
    kind: RentalKind
    gpu: str | None
    region: str | None
    duration: int
    deposit: int
    subsidy: int
    rate: int
    rate_usd: int
    cost: int
    created_at: int
    started_at: int | None
    order_hash: bytes
    open_tx: Signature | None = None
    ended_at: int | None = None
    end_tx: Signature | None = None
    burn_tx: Signature | None = None
    reason: CloseReason | None = None
    used: int | None = None
    burned: int = 0
    host_paid: int = 0
    fees: int = 0
    refunded: int = 0
    subsidy_returned: int = 0
    closed_by: Pubkey | None = None
    tip_lamports: int = 0
    preempt_at: int | None = None
    """When the machine is handed to a better order that waits."""
    history: tuple[JobStatus, ...] = ()

    @property
    def paid_until(self) -> int | None:
        """When the paid time of a started rental ends."""
        return None if self.started_at is None else self.started_at + self.duration

    def used_at(self, now: int) -> int:
        """Seconds of paid time used at `now`."""
        if self.used is not None:
            return self.used
        return 0 if self.started_at is None else max(0, min(now - self.started_at, self.duration))

    def spent_at_ceil(self, now: int) -> int:
        """What the renter owes at `now`, rounded up."""
        return accrued_ceil(self.rate, self.used_at(now))

    @classmethod
    def live(cls, address: Pubkey, rental: Rental, listing: Listing | None, token: str) -> Job:
        """The job of a rental account."""
        state = LIVE_STATES[rental.state]
        waits = listing is not None and listing.challenger == address
        return cls(
            id=address,
            state=state,
            message=WAITING_MESSAGE if waits else LIVE_MESSAGES[state],
            renter=rental.renter,
            listing=rental.listing,
            mint=rental.mint,
            token=token,
            kind=RentalKind(rental.kind),
            gpu=gpu_slug(listing.gpu_model) if listing is not None else None,
            region=region_slug(listing.region) if listing is not None else None,
            duration=rental.duration,
            deposit=rental.deposit,
            subsidy=accrued_ceil(rental.subsidy_rate, rental.duration),
            rate=rental.rate,
            rate_usd=rental.rate_usd,
            cost=rental.deposit,
            created_at=rental.created_at,
            started_at=rental.started_at or None,
            order_hash=rental.order_hash,
            tip_lamports=rental.tip_lamports,
            preempt_at=listing.preempt_at if listing is not None and _is_challenged(listing, address) else None,
        )


def _is_challenged(listing: Listing, holder: Pubkey) -> bool:
    return listing.current == holder and listing.challenger != Pubkey.default()
