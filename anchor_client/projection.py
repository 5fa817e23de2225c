"""State of a rental, from its events: the client folds them into a record, the index applies them to its rows.

Addresses and signatures are base58, hashes hex, kinds, states and reasons the words of `anchor_client.kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from anchor_client.generated import events
from anchor_client.generated.types import CloseReason
from anchor_client.kinds import (
    END_STATES,
    LIVE_MESSAGES,
    PREEMPTING_MESSAGE,
    WAITING_MESSAGE,
    JobState,
    issue_name,
    kind_name,
)
from anchor_idl.runtime.structs import Event


@dataclass(kw_only=True, init=False, repr=False, eq=False)
class RentalRecord(Protocol):
    """The part of a rental that changes after its opening. Amounts are base units, times unix seconds."""

    status: str
    duration: int
    deposit: int
    subsidy: int
    connection: bytes | None = None
    started_at: int | None = None
    paid_until: int | None = None
    ended_at: int | None = None
    close_tx: str | None = None
    close_reason: str | None = None
    finalized_by: str | None = None
    settled: int = 0
    used: int = 0
    charged: int = 0
    host_paid: int = 0
    fees: int = 0
    burned: int = 0
    refunded: int = 0
    subsidy_returned: int = 0
    owed: int = 0
    compensation: int = 0
    exit_code: int | None = None
    held: int = 0
    contest_by: int | None = None
    rating: int | None = None
    not_as_listed: bool = False
    took_over: bool = False


@dataclass(frozen=True, slots=True)
class StateEntered:
    """An entry of a rental's history: a state it entered, or what happened to it in one."""

    status: str
    ts: int
    message: str
    preempt_at: int | None = None
    """Time at which the machine is handed to a better order; only on the warning of it."""


@dataclass(frozen=True, slots=True)
class HostPayment:
    """A payment to the host; `seconds` is how much of the rental it has been paid for by then."""

    amount: int
    seconds: int
    ts: int


@dataclass(frozen=True, slots=True)
class CompensationPaid:
    """Compensation of the rental `holder`, paid by `challenger`, which displaced it or left; base units of `mint`."""

    holder: str
    challenger: str
    mint: str
    amount: int
    ts: int


@dataclass(frozen=True, slots=True)
class ReportedIssue:
    """Issue that the renter found with the machine."""

    issue: str
    weight: int
    ts: int


def opened(event: events.RentalOpened, tx: str) -> dict[str, Any]:
    """The fields of a rental that has just been opened; the others have their defaults."""
    return {
        "address": str(event.rental),
        "renter": str(event.renter),
        "listing": str(event.listing),
        "host": str(event.host),
        "mint": str(event.mint),
        "shard": event.shard,
        "nonce": event.nonce,
        "kind": kind_name(event.kind),
        "status": JobState.QUEUED.value,
        "duration": event.duration,
        "deposit": event.deposit,
        "subsidy": event.subsidy,
        "rate": event.rate,
        "subsidy_rate": event.subsidy_rate,
        "burn_rate": event.burn_rate,
        "fee_rate": event.fee_rate,
        "rate_usd": event.rate_usd,
        "holdback_bps": event.holdback_bps,
        "holdback_window": event.holdback_window,
        "provision_timeout": event.provision_timeout,
        "min_charge": event.min_charge,
        "discount_bps": event.discount_bps,
        "promise": event.promise,
        "offline_after": event.offline_after,
        "tip_lamports": event.tip_lamports,
        "order_hash": event.order_hash.hex(),
        "spec_version": event.spec_version,
        "may_finish": event.may_finish,
        "created_at": event.at,
        "open_tx": tx,
    }


def advance(rental: RentalRecord, event: Event, tx: str) -> None:
    """Changes a rental by its next event, which came in transaction `tx`; events that change nothing are ignored."""
    match event:
        case events.RentalAccepted():
            rental.status = JobState.PROVISIONING.value
            rental.connection = event.connection
        case events.RentalStarted():
            rental.status = JobState.RUNNING.value
            rental.started_at = event.at
            rental.paid_until = event.paid_until
        case events.RentalSettled():
            rental.settled = event.settled
            rental.host_paid = event.paid_total
        case events.RentalExtended():
            rental.duration = event.new_duration
            rental.paid_until = event.paid_until
            rental.deposit += event.deposit_added
            rental.subsidy += event.subsidy_added
        case events.RentalRated():
            rental.rating = event.rating
        case events.IssueReported() if event.weight:
            rental.not_as_listed = True
        case events.RentalTookOver():
            rental.took_over = True
            _compensate(rental, event.compensation)
        case events.HolderCompensated():
            _compensate(rental, event.compensation)
        case events.RentalClosed():
            _close(rental, event, tx)
        case events.RefundClaimed():
            rental.owed = 0
        case events.HoldbackReleased():
            rental.held = 0
            rental.contest_by = None
            rental.host_paid -= event.kept
            rental.fees += event.kept
        case events.FinishContested():
            rental.held = 0
            rental.contest_by = None
            rental.host_paid -= event.amount
            rental.fees += event.amount


def _close(rental: RentalRecord, event: events.RentalClosed, tx: str) -> None:
    rental.status = END_STATES[event.reason][0].value
    rental.ended_at = event.at
    rental.close_tx = tx
    rental.close_reason = event.reason.name.lower()
    rental.finalized_by = str(event.closed_by)
    rental.used = event.used
    rental.charged = event.charged
    rental.host_paid = event.paid
    rental.fees = event.fees
    rental.burned = event.burned
    rental.refunded = event.refunded
    rental.subsidy_returned = event.subsidy_returned
    rental.owed = event.renter_owed
    _compensate(rental, event.compensation)
    if event.reason is CloseReason.FINISHED:
        rental.exit_code = event.exit_code
        rental.held = event.held
        rental.contest_by = event.contest_by


def _compensate(rental: RentalRecord, amount: int) -> None:
    """An order that waited pays out of its deposit."""
    rental.deposit -= amount
    rental.compensation += amount


def state_entered(event: Event, status: str) -> StateEntered | None:
    """Entry that an event adds to the history of a rental in the state `status`; None when it adds nothing."""
    match event:
        case events.RentalOpened():
            message = WAITING_MESSAGE if event.preempt_at else LIVE_MESSAGES[JobState.QUEUED]
            return StateEntered(JobState.QUEUED, event.at, message)
        case events.RentalTookOver():
            return StateEntered(JobState.QUEUED, event.at, LIVE_MESSAGES[JobState.QUEUED])
        case events.RentalAccepted():
            return StateEntered(JobState.PROVISIONING, event.at, LIVE_MESSAGES[JobState.PROVISIONING])
        case events.RentalStarted():
            return StateEntered(JobState.RUNNING, event.at, LIVE_MESSAGES[JobState.RUNNING])
        case events.RentalExtended():
            message = f"Extended by {event.new_duration - event.old_duration} s to {event.new_duration} s"
            return StateEntered(status, event.at, message)
        case events.RentalPreempting():
            return StateEntered(status, event.at, PREEMPTING_MESSAGE, event.preempt_at)
        case events.RentalClosed():
            state, message = END_STATES[event.reason]
            code = f" with {event.exit_code}" if event.reason is CloseReason.FINISHED else ""
            return StateEntered(state, event.at, message + code)
        case events.FinishContested():
            return StateEntered(status, event.at, "The renter contests that its command had ended")
        case events.HoldbackReleased() if event.kept:
            return StateEntered(status, event.at, "The host's account could not take the holdback: it is a fee")
    return None


def host_payment(event: Event) -> HostPayment | None:
    """Payment to the host by an event, if any."""
    match event:
        case events.RentalSettled():
            return HostPayment(event.paid, event.settled, event.at)
        case events.RentalClosed() if event.paid_now > event.held:
            return HostPayment(event.paid_now - event.held, event.charged, event.at)
    return None


def compensation_paid(event: Event) -> CompensationPaid | None:
    """Compensation that an event paid to a machine's holder, if any."""
    match event:
        case events.RentalTookOver() | events.HolderCompensated():
            holder = event.preempted
            challenger = event.rental
            amount = event.compensation - event.compensation_kept
        case events.ChallengerWithdrawn():
            holder = event.holder
            challenger = event.challenger
            amount = event.compensation
        case _:
            return None
    if amount > 0:
        return CompensationPaid(str(holder), str(challenger), str(event.mint), amount, event.at)
    return None


def reported_issue(event: Event) -> ReportedIssue | None:
    """Issue with the machine that an event reports, if any."""
    if not isinstance(event, events.IssueReported):
        return None
    return ReportedIssue(issue_name(event.issue), event.weight, event.at)
