"""Jobs from what the chain has of a rental: its account while it lives, its events from the first to the last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from solders.clock import Clock
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.amounts import Denomination
from anchor_client.generated import events
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.types import RentalKind
from anchor_client.kinds import LIVE_STATES, JobState, kind_name
from anchor_client.projection import (
    RentalRecord,
    advance,
    compensation_paid,
    host_payment,
    opened,
    reported_issue,
    state_entered,
)
from anchor_client.resources.job import (
    Job,
    JobCompensation,
    JobIssue,
    JobPayment,
    JobProgress,
    JobStatus,
    derive,
    progress_of,
)
from anchor_client.rules.listing import NOBODY
from anchor_client.rules.math import accrued_ceil
from anchor_client.rules.rental import compensation_paid_by, is_running, payable_floor
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True)
class RentalEvent:
    """One event of a rental and the transaction that it came in."""

    event: Event
    signature: Signature
    slot: int


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class JobRecord(RentalRecord):
    """A rental by the events so far; the index has the same in its rows."""

    address: str
    renter: str
    listing: str
    host: str
    mint: str
    shard: int
    nonce: int
    kind: str
    status: str
    duration: int
    deposit: int
    subsidy: int
    rate: int
    subsidy_rate: int
    burn_rate: int
    fee_rate: int
    rate_usd: int
    holdback_bps: int
    holdback_window: int
    provision_timeout: int
    min_charge: int
    discount_bps: int
    promise: int
    offline_after: int
    tip_lamports: int
    order_hash: str
    created_at: int
    open_tx: str | None
    spec_version: int | None = None
    may_finish: bool = False

    @classmethod
    def of_account(cls, address: Pubkey, rental: Rental, host: Pubkey) -> JobRecord:
        """Record of an open rental's account, without the transaction that opened it and without its connection."""
        started = rental.started_at or None
        return cls(
            address=str(address),
            renter=str(rental.renter),
            listing=str(rental.listing),
            host=str(host),
            mint=str(rental.mint),
            shard=rental.shard,
            nonce=rental.nonce,
            kind=kind_name(RentalKind(rental.kind)),
            status=LIVE_STATES[rental.state].value,
            duration=rental.duration,
            deposit=rental.deposit,
            subsidy=accrued_ceil(rental.subsidy_rate, rental.duration),
            rate=rental.rate,
            subsidy_rate=rental.subsidy_rate,
            burn_rate=rental.burn_rate,
            fee_rate=rental.fee_rate,
            rate_usd=rental.rate_usd,
            holdback_bps=rental.holdback_bps,
            holdback_window=rental.holdback_window,
            provision_timeout=rental.provision_timeout,
            min_charge=rental.min_charge,
            discount_bps=rental.discount_bps,
            promise=rental.promise,
            offline_after=rental.offline_after,
            tip_lamports=rental.tip_lamports,
            order_hash=rental.order_hash.hex(),
            may_finish=rental.may_finish != 0,
            created_at=rental.created_at,
            open_tx=None,
            started_at=started,
            paid_until=None if started is None else started + rental.duration,
            settled=rental.settled,
            host_paid=payable_floor(rental, rental.settled),
            compensation=compensation_paid_by(rental),
            rating=rental.rating or None,
            not_as_listed=rental.not_as_listed != 0,
            took_over=rental.took_over != 0,
        )


@dataclass(slots=True)
class Life:
    """A rental and its history, built event by event."""

    record: JobRecord | None = None
    waits: bool = False
    history: list[JobStatus] = field(default_factory=list)
    payments: list[JobPayment] = field(default_factory=list)
    compensations: list[JobCompensation] = field(default_factory=list)
    issues: list[JobIssue] = field(default_factory=list)

    @classmethod
    def told(cls, events: Iterable[RentalEvent], record: JobRecord | None = None) -> Life:
        """A rental's state from its events, starting from its opening or an earlier state."""
        life = cls(record)
        for item in events:
            life.tell(item)
        return life

    def tell(self, item: RentalEvent) -> JobStatus | None:
        """Applies one event; returns its additions to the history. Events before the opening are ignored."""
        event = item.event
        tx = str(item.signature)
        if self.record is not None and self._hear_compensation(item, self.record.address):
            return None
        if isinstance(event, events.RentalOpened):
            self.record = JobRecord(**opened(event, tx))
            self.waits = event.preempt_at > 0
        elif isinstance(event, events.RentalTookOver):
            self.waits = False
        if self.record is None:
            return None
        entered = state_entered(event, self.record.status)
        advance(self.record, event, tx)
        if (payment := host_payment(event)) is not None:
            self.payments.append(
                JobPayment(amount=payment.amount, seconds=payment.seconds, ts=payment.ts, tx=item.signature)
            )
        if (issue := reported_issue(event)) is not None:
            self.issues.append(JobIssue(issue=issue.issue, weight_usd=issue.weight, ts=issue.ts, tx=item.signature))
        if entered is None:
            return None
        status = JobStatus(tx=item.signature, **asdict(entered) | {"status": JobState(entered.status)})
        self.history.append(status)
        return status

    def _hear_compensation(self, item: RentalEvent, address: str) -> bool:
        """Keeps the compensation if another rental's event pays this one; returns True if so."""
        paid = compensation_paid(item.event)
        if paid is None or paid.holder != address:
            return False
        self.compensations.append(
            JobCompensation(
                amount=paid.amount,
                mint=Pubkey.from_string(paid.mint),
                challenger=Pubkey.from_string(paid.challenger),
                ts=paid.ts,
                tx=item.signature,
            )
        )
        return True

    def job(self, listing: Listing | None, token: Denomination, progress: JobProgress | None = None) -> Job:
        """The job in its present state on the machine `listing`. LookupError if its opening is missing."""
        return job_of(self._record(), listing, token, self, progress)

    def job_as_told(self, listing: Listing, token: Denomination) -> Job:
        """The same if `listing` was read before the events."""
        record = self._record()
        waiting = Pubkey.from_string(record.address) if self.waits else NOBODY
        return job_of(record, replace(listing, current=NOBODY, challenger=waiting), token, self)

    def _record(self) -> JobRecord:
        if self.record is None:
            raise LookupError("these events open no rental")
        return self.record


def job_of(
    record: JobRecord,
    listing: Listing | None,
    token: Denomination,
    life: Life | None = None,
    progress: JobProgress | None = None,
) -> Job:
    """The job of a rental, with all that happened to it when its life is known."""
    fields = asdict(record)
    fields["id"] = fields["address"]
    fields["status"] = JobState(record.status)
    fields |= {"gpu": None, "gpu_count": None, "region": None}
    place: dict[str, Any] = {"current": None, "challenger": None, "preempt_at": None}
    if listing is not None:
        fields |= {"gpu": listing.gpu_model, "gpu_count": listing.gpu_count, "region": listing.region}
        place["current"] = _text(listing.current)
        place["challenger"] = _text(listing.challenger)
        place["preempt_at"] = listing.preempt_at
    fields["token"] = token.symbol
    fields["decimals"] = token.decimals
    fields["progress"] = progress
    if life is not None:
        for name in ("history", "payments", "compensations", "issues"):
            fields[name] = tuple(getattr(life, name))
    derive(fields, **place)
    return Job.read(fields)


def account_progress(rental: Rental, listing: Listing, clock: Clock) -> JobProgress | None:
    """Progress of a rental at the cluster's time; None unless it runs."""
    if not is_running(rental):
        return None
    return progress_of(rental, listing, compensation_paid_by(rental), clock.unix_timestamp, clock.slot)


def _text(rental: Pubkey) -> str | None:
    return None if rental == NOBODY else str(rental)
