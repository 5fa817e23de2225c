"""Kinds of notices: events of the program in its users' words, and those that time alone brings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated.events import (
    HoldbackReleased,
    PayoutClaimed,
    ProposalCreated,
    ProposalDecided,
    RefundClaimed,
    RentalAccepted,
    RentalClosed,
    RentalExtended,
    RentalOpened,
    RentalPreempting,
    RentalSettled,
    RentalStarted,
    RequestCancelled,
    RequestExpired,
    RequestMatched,
)
from anchor_client.generated.types import CloseReason
from anchor_client.rules.rental import REFUSALS
from anchor_idl.runtime.structs import Event
from indexer.api.feed.topics import JOB, LISTING, PROPOSAL, REQUEST, WALLET

Named = tuple[str, str]
"""A kind and an address."""


class Kind(StrEnum):
    """The type of a notice."""

    JOB_OPENED = "job.opened"
    JOB_ACCEPTED = "job.accepted"
    JOB_RUNNING = "job.running"
    JOB_LOW_FUNDS = "job.low_funds"
    JOB_EXTENDED = "job.extended"
    JOB_OUTBID = "job.outbid"
    JOB_PREEMPTING = "job.preempting"
    JOB_PREEMPTED = "job.preempted"
    JOB_REFUSED = "job.refused"
    JOB_ENDED = "job.ended"
    HOST_OFFLINE = "host.offline"
    REFUND_PAID = "refund.paid"
    PAYOUT_PAID = "payout.paid"
    REQUEST_MATCHED = "request.matched"
    REQUEST_EXPIRED = "request.expired"
    SEARCH_FITS = "search.fits"
    PROPOSAL_OPENED = "proposal.opened"
    PROPOSAL_DECIDED = "proposal.decided"


TEST = "webhook.test"
ENDS = {
    **dict.fromkeys(REFUSALS, Kind.JOB_REFUSED),
    CloseReason.PREEMPTED: Kind.JOB_PREEMPTED,
    CloseReason.OUTBID: Kind.JOB_OUTBID,
}
"""Ends that have a separate notice before the one of every end."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Subject and facts of a notice: about a job, a request or a proposal, or the listing of a payout.

    It goes to those who follow its subject, and those who follow what `audience` names or what that belongs to; by
    default, what its subject belongs to. `facts` are those that its resource does not hold.
    """

    kind: Kind
    subject: Named
    facts: dict[str, Any] = field(default_factory=dict)
    audience: tuple[Named, ...] | None = None


def happenings_of(event: Event) -> Iterator[Happening]:
    """Happenings of an event, each of another type."""
    match event:
        case RentalOpened():
            yield _of_job(Kind.JOB_OPENED, event.rental)
        case RentalAccepted():
            yield _of_job(Kind.JOB_ACCEPTED, event.rental)
        case RentalStarted():
            yield _of_job(Kind.JOB_RUNNING, event.rental, paid_until=event.paid_until)
        case RentalExtended():
            added = event.new_duration - event.old_duration
            amounts = {"deposit_added": str(event.deposit_added), "subsidy_added": str(event.subsidy_added)}
            yield _of_job(Kind.JOB_EXTENDED, event.rental, seconds_added=added, paid_until=event.paid_until, **amounts)
        case RentalPreempting():
            facts = {"preempt_at": event.preempt_at, "challenger": str(event.challenger)}
            yield _of_job(Kind.JOB_PREEMPTING, event.rental, **facts)
        case RentalSettled() if event.paid:
            yield _payout(event.paid, event.listing, event.rental)
        case RentalClosed():
            yield from _end(event)
        case HoldbackReleased() if event.amount > event.kept:
            yield _payout(event.amount - event.kept, event.listing, event.rental, event.mint)
        case PayoutClaimed():
            yield _payout(event.amount, event.listing, None, event.mint)
        case RefundClaimed():
            yield _refund((JOB, str(event.rental)), event.amount, event.mint, event.renter)
        case RequestMatched():
            yield Happening(Kind.REQUEST_MATCHED, (REQUEST, str(event.request)), {"job_id": str(event.rental)})
            if event.refunded:
                yield _refund((REQUEST, str(event.request)), event.refunded)
        case RequestExpired():
            yield Happening(Kind.REQUEST_EXPIRED, (REQUEST, str(event.request)))
            yield _refund((REQUEST, str(event.request)), event.refunded, event.mint)
        case RequestCancelled():
            yield _refund((REQUEST, str(event.request)), event.refunded, event.mint)
        case ProposalCreated():
            yield Happening(Kind.PROPOSAL_OPENED, (PROPOSAL, str(event.proposal)))
        case ProposalDecided():
            yield Happening(Kind.PROPOSAL_DECIDED, (PROPOSAL, str(event.proposal)))


def _end(event: RentalClosed) -> Iterator[Happening]:
    facts = {"reason": event.reason.name.lower().replace("_", "-")}
    if event.reason in ENDS:
        yield _of_job(ENDS[event.reason], event.rental, **facts)
    yield _of_job(Kind.JOB_ENDED, event.rental, **facts)
    if refunded := event.refunded - event.renter_owed:
        yield _refund((JOB, str(event.rental)), refunded, event.mint, event.renter)
    if paid := event.paid_now - event.host_owed - event.held:
        yield _payout(paid, event.listing, event.rental, event.mint)


def _of_job(kind: Kind, rental: Pubkey, **facts: Any) -> Happening:
    return Happening(kind, (JOB, str(rental)), facts)


def _refund(subject: Named, amount: int, mint: Pubkey | None = None, renter: Pubkey | None = None) -> Happening:
    audience = None if renter is None else ((WALLET, str(renter)),)
    return Happening(Kind.REFUND_PAID, subject, _amount(amount, mint), audience)


def _payout(amount: int, listing: Pubkey, rental: Pubkey | None, mint: Pubkey | None = None) -> Happening:
    subject = (LISTING, str(listing)) if rental is None else (JOB, str(rental))
    return Happening(
        Kind.PAYOUT_PAID, subject, {"listing": str(listing), **_amount(amount, mint)}, ((LISTING, str(listing)),)
    )


def _amount(amount: int, mint: Pubkey | None) -> dict[str, Any]:
    """Base units; where the event names no mint, its job's or request's is meant."""
    told = {"amount": str(amount)}
    if mint is not None:
        told["mint"] = str(mint)
    return told
