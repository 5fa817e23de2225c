"""Rentals from their opening to their end, and the renters' profiles."""

from __future__ import annotations

from typing import Any, TypeAlias

from anchor_client.generated.events import (
    FinishContested,
    HoldbackReleased,
    IssueReported,
    RefundClaimed,
    RentalAccepted,
    RentalClosed,
    RentalExtended,
    RentalOpened,
    RentalRated,
    RentalSettled,
    RentalStarted,
    RenterClosed,
    RenterRegistered,
)
from anchor_client.generated.types import CloseReason, Silence
from anchor_client.generated.types import RentalIssue as Issue
from anchor_client.generated.types import RentalState as State
from anchor_client.kinds import kind_name
from anchor_client.projection import advance, host_payment, opened, reported_issue, state_entered
from anchor_client.rules.rental import HOST_FAULTS, REFUSALS
from anchor_client.rules.subsidy import day
from anchor_client.rules.verified import proven_seconds
from anchor_client.rules.waits import with_wait
from anchor_idl.runtime.structs import Event
from indexer.index.handlers.carbon import count_use
from indexer.index.handlers.host import heard_at
from indexer.index.handlers.ledger import change_ledger, draw_subsidy, return_subsidy, vault_of
from indexer.index.handlers.series import count_earned, count_ended, count_money, count_opened, count_started, recounts
from indexer.index.handlers.step import Step, on
from indexer.models import Host, Listing, Rating, Rental, RentalIssue, RentalState, Renter, Settlement, SpotBid

RentalChange: TypeAlias = (
    RentalAccepted
    | RentalStarted
    | RentalExtended
    | RentalSettled
    | RentalClosed
    | HoldbackReleased
    | FinishContested
    | RefundClaimed
    | RentalRated
    | IssueReported
)


@on(RenterRegistered)
def on_renter_registered(event: RenterRegistered, step: Step) -> None:
    """A wallet may rent, for the first time or again."""
    row = step.rows.change(Renter, str(event.wallet))
    if row is None:
        step.add(Renter, event, registered_at=event.at)
    else:
        row.registered_at = event.at
        row.next_nonce = event.next_nonce
        row.closed_at = None


@on(RenterClosed)
def on_renter_closed(event: RenterClosed, step: Step) -> None:
    """A wallet closes its profile, whose history goes with it."""
    row = step.rows.change(Renter, str(event.wallet))
    if row is not None:
        row.completed_rentals = 0
        row.spent_usd = 0
        row.reported_usd = 0
        row.closed_at = event.at


@on(RentalOpened)
@recounts
def on_rental_opened(event: RentalOpened, step: Step) -> None:
    """A renter escrows the cost of a machine and takes it, or waits for its holder to leave."""
    listing = step.change(Listing, event.listing, event.listing_seq)
    if listing is not None:
        if event.preempt_at:
            listing.challenger = str(event.rental)
            listing.preempt_at = event.preempt_at
            if listing.current is not None:
                step.rows.add(waiting(event, listing.current, step.signature))
        else:
            listing.current = str(event.rental)
            listing.opened += 1
    _book(step, event)
    vault = change_ledger(
        step,
        vault_of(str(event.mint), event.shard, step.program),
        event.vault_seq,
        open_rentals=1,
        liabilities=event.deposit + event.subsidy,
        subsidy_pool=-event.subsidy,
        total_deposited=event.deposit,
    )
    if vault is not None:
        vault.rentals += 1
    draw_subsidy(vault, event.subsidy, event.at)
    renter = step.rows.change(Renter, str(event.renter))
    if renter is not None:
        renter.next_nonce = max(renter.next_nonce, event.nonce + 1)  # a match takes up the request's older one
        renter.active_rentals += 1
    place: dict[str, Any] = {"gpu_model": 0, "gpu_count": 0, "region": 0}
    if listing:
        place |= {"gpu_model": listing.gpu_model, "gpu_count": listing.gpu_count, "region": listing.region}
    place["held_from"] = None if event.preempt_at else event.at
    rental = step.open(Rental, event.rental, **opened(event, step.signature), **place, seq=event.seq)
    record(event, rental, event.seq, step)
    count_opened(step, rental)


def waiting(event: RentalOpened, holder: str, tx: str) -> SpotBid:
    """An order that waits for a machine which the rental `holder` has."""
    return SpotBid(
        rental=str(event.rental),
        listing=str(event.listing),
        holder=holder,
        renter=str(event.renter),
        kind=kind_name(event.kind),
        rate_usd=event.rate_usd,
        placed_at=event.at,
        preempt_at=event.preempt_at,
        tx=tx,
    )


def _book(step: Step, event: RentalOpened | RentalExtended) -> None:
    """A subsidy comes out of the budget that the host has for the day."""
    if event.host_seq > 0:
        booked = {"subsidy_booked": event.host_booked, "subsidy_day": day(event.at)}
        step.change(Host, event.host, event.host_seq, **booked)


@on(RentalAccepted)
def on_rental_accepted(event: RentalAccepted, step: Step) -> None:
    """The host takes the order and hands over the sealed connection."""
    _advance(event, step)


@on(RentalStarted)
def on_rental_started(event: RentalStarted, step: Step) -> None:
    """The paid time begins."""
    rental = _advance(event, step)
    if rental is None:
        return
    count_started(step, rental, event.at)
    host = step.rows.change(Host, rental.host)
    if host is not None and rental.held_from is not None:
        host.recent_starts = with_wait(host.recent_starts, event.at - rental.held_from)


@on(RentalExtended)
def on_rental_extended(event: RentalExtended, step: Step) -> None:
    """The renter buys more time at the rental's own rates."""
    _book(step, event)
    rental = _advance(event, step)
    if rental is None:
        return
    vault = change_ledger(
        step,
        vault_of(rental.mint, rental.shard, step.program),
        event.vault_seq,
        liabilities=event.deposit_added + event.subsidy_added,
        subsidy_pool=-event.subsidy_added,
        total_deposited=event.deposit_added,
    )
    draw_subsidy(vault, event.subsidy_added, event.at)


@on(RentalSettled)
def on_rental_settled(event: RentalSettled, step: Step) -> None:
    """The host is paid for the seconds used so far, and heard from if it asked for that itself."""
    step.change(Listing, event.listing, event.listing_seq, **heard_at(event.at) if event.heard else {})
    rental = _advance(event, step)
    if rental is None:
        return
    rental.paid_usd = event.paid_usd
    vault = vault_of(rental.mint, rental.shard, step.program)
    change_ledger(step, vault, event.vault_seq, liabilities=-event.paid, total_paid=event.paid)


@on(RentalClosed)
@recounts
def on_rental_closed(event: RentalClosed, step: Step) -> None:
    """A rental ends and its escrow is divided."""
    _vacate(event, step)
    rental = _advance(event, step)
    if rental is None:
        return
    rental.paid_usd = event.paid_usd
    listing = step.rows.change(Listing, rental.listing)
    if listing is not None:
        listing.proven_seconds += proven_seconds(rental, listing.spec_version)
        if event.host_owed:
            listing.owed_shard = rental.shard
    count_use(step, rental)
    count_ended(step, rental, event.at)
    count_money(step, event.at, rental.mint, burned=event.burned, fees=event.fees + event.compensation_kept)
    divided = event.paid_now + event.fees + event.burned + event.refunded + event.subsidy_returned + event.compensation
    vault = change_ledger(
        step,
        vault_of(rental.mint, rental.shard, step.program),
        event.vault_seq,
        open_rentals=-1,
        liabilities=event.host_owed + event.renter_owed + event.held - divided,
        fees_due=event.fees + event.compensation_kept,
        subsidy_pool=event.subsidy_returned,
        total_paid=event.paid_now - event.host_owed - event.held,
        total_burned=event.burned,
        total_refunded=event.refunded - event.renter_owed,
        total_compensated=event.compensation - event.compensation_kept,
    )
    return_subsidy(vault, event.subsidy_returned, event.at)
    renter = step.rows.change(Renter, str(event.renter))
    if renter is not None:
        renter.active_rentals -= 1
        renter.spent_usd += event.paid_usd
        if event.reason is CloseReason.EXPIRED:
            renter.completed_rentals += 1


@on(HoldbackReleased)
def on_holdback_released(event: HoldbackReleased, step: Step) -> None:
    """The host is paid what a finished rental held back, but for what it lost: a fee."""
    listing = step.change(Listing, event.listing, event.listing_seq)
    if listing is not None:
        listing.completed += event.completed
    rental = _advance(event, step)
    if rental is None:
        return
    vault = vault_of(rental.mint, rental.shard, step.program)
    paid = event.amount - event.kept
    change_ledger(step, vault, event.vault_seq, liabilities=-event.amount, fees_due=event.kept, total_paid=paid)
    count_money(step, event.at, rental.mint, fees=event.kept)


@on(FinishContested)
def on_finish_contested(event: FinishContested, step: Step) -> None:
    """The amount that a finished rental held back becomes a fee, and the contest weighs against the host."""
    step.change(Listing, event.listing, event.listing_seq)
    _weigh(event, step)
    rental = _advance(event, step)
    if rental is None:
        return
    vault = vault_of(rental.mint, rental.shard, step.program)
    change_ledger(step, vault, event.vault_seq, liabilities=-event.amount, fees_due=event.amount)
    count_money(step, event.at, rental.mint, fees=event.amount)


@on(RefundClaimed)
def on_refund_claimed(event: RefundClaimed, step: Step) -> None:
    """A renter is paid what their ended rental owed them."""
    rental = _advance(event, step)
    if rental is None:
        return
    vault = vault_of(rental.mint, rental.shard, step.program)
    change_ledger(step, vault, event.vault_seq, liabilities=-event.amount, total_refunded=event.amount)


@on(RentalRated)
def on_rental_rated(event: RentalRated, step: Step) -> None:
    """The renter rates the rental."""
    listing = step.change(Listing, event.listing, event.listing_seq)
    if listing is not None:
        listing.rating_sum += event.weight * event.rating
        listing.rating_weight += event.weight
    rental = _advance(event, step)
    if rental is None:
        return
    step.add(Rating, event, host=rental.host, since=rental.created_at)


@on(IssueReported)
def on_issue_reported(event: IssueReported, step: Step) -> None:
    """A renter says what is wrong with the machine."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is not None:
        listing.issues += 1
    rental = _advance(event, step)
    if rental is not None and event.issue is Issue.NOT_AS_LISTED:
        rental.doubted = True
    if event.weight and listing is not None:
        listing.proven_seconds = 0
    _weigh(event, step)


def _weigh(event: IssueReported | FinishContested, step: Step) -> None:
    """Counts the weight of a report or contest against the rental's host."""
    if not event.weight:
        return
    host = step.change(Host, event.host, event.host_seq)
    if host is not None:
        host.not_as_listed_usd += event.weight
    renter = step.rows.change(Renter, str(event.renter))
    if renter is not None:
        renter.reported_usd += event.weight


def _advance(event: RentalChange, step: Step) -> Rental | None:
    """The rental after an event, with what the event adds to its history; None when its beginning was missed."""
    rental = step.change(Rental, event.rental, event.seq)
    if rental is not None:
        record(event, rental, event.seq, step)
        advance(rental, event, step.signature)
    return rental


def record(event: Event, rental: Rental, seq: int, step: Step) -> None:
    """Adds what an event says of a rental that it is about to change: a state, a payment, or an issue."""
    place: dict[str, Any] = {"since": rental.created_at, "rental": rental.address, "seq": seq, "tx": step.signature}
    if (entered := state_entered(event, rental.status)) is not None:
        step.rows.add(
            RentalState(
                **place, status=entered.status, ts=entered.ts, message=entered.message, preempt_at=entered.preempt_at
            )
        )
    if (paid := host_payment(event)) is not None:
        step.rows.add(
            Settlement(
                **place, host=rental.host, mint=rental.mint, amount=paid.amount, seconds=paid.seconds, ts=paid.ts
            )
        )
        count_earned(step, rental, paid.ts, paid.amount)
        if paid.amount > 0:
            _note_credit(rental, paid.ts, step)
    if (reported := reported_issue(event)) is not None:
        step.rows.add(
            RentalIssue(
                **place, listing=rental.listing, issue=reported.issue, weight_usd=reported.weight, ts=reported.ts
            )
        )


def _note_credit(rental: Rental, ts: int, step: Step) -> None:
    """Records how long its host has waited for the first payment."""
    if rental.credited_at is not None:
        return
    rental.credited_at = ts
    host = step.rows.change(Host, rental.host)
    if host is not None and rental.held_from is not None:
        host.recent_credits = with_wait(host.recent_credits, ts - rental.held_from)


def _vacate(event: RentalClosed, step: Step) -> None:
    listing = step.change(Listing, event.listing, event.listing_seq)
    if listing is None:
        return
    if event.host_seq > 0:
        step.change(Host, event.host, event.host_seq, subsidy_booked=event.host_booked)
    if listing.challenger == str(event.rental):
        listing.challenger = None
        bid = step.rows.change(SpotBid, str(event.rental))
        if bid is not None:
            bid.outcome = event.reason.name.lower()
            bid.decided_at = event.at
        return
    listing.current = None
    if event.state is State.RUNNING:
        listing.idle_since = event.at
    if event.reason is CloseReason.HOST_OFFLINE:
        listing.silence = Silence.PROVEN.name.lower()
    if event.host_owed:
        listing.owed = event.host_owed
        listing.owed_mint = str(event.mint)
    if event.reason in HOST_FAULTS:
        listing.failed += 1
    elif event.reason in REFUSALS:
        listing.refused += 1
    elif event.completed:
        listing.completed += 1
