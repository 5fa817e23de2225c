"""Rentals from their opening to their end, and the renters' profiles."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.events import (
    IssueReported,
    RentalAccepted,
    RentalClosed,
    RentalExtended,
    RentalOpened,
    RentalRated,
    RentalSettled,
    RentalStarted,
    RenterRegistered,
)
from anchor_client.generated.types import CloseReason
from anchor_client.kinds import END_STATES, LIVE_MESSAGES, WAITING_MESSAGE, JobState, issue_name, kind_name
from anchor_client.rules.math import accrued_floor
from anchor_client.rules.rental import HOST_FAULTS
from indexer.handlers.ledger import change_ledger, vault_of
from indexer.handlers.step import Step, on
from indexer.models import Listing, Rating, Rental, RentalIssue, RentalState, Renter, Settlement, SpotBid


@on(RenterRegistered)
def on_renter_registered(event: RenterRegistered, step: Step) -> None:
    """A wallet may rent."""
    step.rows.add(Renter(wallet=str(event.wallet), profile=str(event.profile), registered_at=event.at))


@on(RentalOpened)
def on_rental_opened(event: RentalOpened, step: Step) -> None:
    """A renter escrows the cost of a machine and takes it, or waits for its holder to leave."""
    listing = step.change(Listing, event.listing, event.listing_seq)
    if listing is not None:
        if event.is_challenger:
            listing.challenger = str(event.rental)
        else:
            listing.current = str(event.rental)
            listing.opened += 1
    change_ledger(
        step,
        vault_of(str(event.mint), event.shard),
        event.vault_seq,
        open_rentals=1,
        liabilities=event.deposit + event.subsidy,
        subsidy_pool=-event.subsidy,
        total_deposited=event.deposit,
    )
    renter = step.rows.change(Renter, str(event.renter))
    if renter is not None:
        renter.next_nonce = max(renter.next_nonce, event.nonce + 1)  # a match takes up the request's older one
        renter.active_rentals += 1
    step.open(_opened(event, listing, step.signature))
    message = WAITING_MESSAGE if event.is_challenger else LIVE_MESSAGES[JobState.QUEUED]
    record_state(step, event.rental, event.seq, JobState.QUEUED, event.at, message)


@on(RentalAccepted)
def on_rental_accepted(event: RentalAccepted, step: Step) -> None:
    """The host takes the order and hands over the sealed connection."""
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    rental.status = JobState.PROVISIONING.value
    rental.connection = event.connection
    message = LIVE_MESSAGES[JobState.PROVISIONING]
    record_state(step, event.rental, event.seq, JobState.PROVISIONING, event.at, message)


@on(RentalStarted)
def on_rental_started(event: RentalStarted, step: Step) -> None:
    """The paid time begins."""
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    rental.status = JobState.RUNNING.value
    rental.started_at = event.at
    rental.paid_until = event.paid_until
    record_state(step, event.rental, event.seq, JobState.RUNNING, event.at, LIVE_MESSAGES[JobState.RUNNING])


@on(RentalExtended)
def on_rental_extended(event: RentalExtended, step: Step) -> None:
    """The renter buys more time at the rental's own rates."""
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    rental.duration = event.new_duration
    rental.paid_until = event.paid_until
    rental.deposit += event.deposit_added
    rental.subsidy += event.subsidy_added
    message = f"Extended by {event.new_duration - event.old_duration} s to {event.new_duration} s"
    record_state(step, event.rental, event.seq, JobState(rental.status), event.at, message)
    change_ledger(
        step,
        vault_of(rental.mint, rental.shard),
        event.vault_seq,
        liabilities=event.deposit_added + event.subsidy_added,
        subsidy_pool=-event.subsidy_added,
        total_deposited=event.deposit_added,
    )


@on(RentalSettled)
def on_rental_settled(event: RentalSettled, step: Step) -> None:
    """The host is paid for the seconds used so far."""
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    rental.paid = event.paid_total
    rental.settled = event.settled
    _record_payment(step, rental, event.seq, event.at, event.paid, event.settled)
    vault = vault_of(rental.mint, rental.shard)
    change_ledger(step, vault, event.vault_seq, liabilities=-event.paid, total_paid=event.paid)


@on(RentalClosed)
def on_rental_closed(event: RentalClosed, step: Step) -> None:
    """A rental ends and its escrow is divided."""
    _vacate(event, step)
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    state, message = END_STATES[event.reason]
    rental.status = state.value
    rental.closed_at = event.at
    rental.close_signature = step.signature
    rental.close_reason = event.reason.name.lower()
    rental.closed_by = str(event.closed_by)
    rental.used = event.used
    rental.paid = event.paid
    rental.fees = event.fees
    rental.burned = event.burned
    rental.refunded = event.refunded
    rental.subsidy_returned = event.subsidy_returned
    record_state(step, event.rental, event.seq, state, event.at, message)
    if event.paid_now > 0:
        _record_payment(step, rental, event.seq, event.at, event.paid_now, event.used)
    change_ledger(
        step,
        vault_of(rental.mint, rental.shard),
        event.vault_seq,
        open_rentals=-1,
        liabilities=-(event.paid_now + event.fees + event.burned + event.refunded + event.subsidy_returned),
        fees_due=event.fees,
        subsidy_pool=event.subsidy_returned,
        total_paid=event.paid_now,
        total_burned=event.burned,
        total_refunded=event.refunded,
    )
    renter = step.rows.change(Renter, str(event.renter))
    if renter is not None:
        renter.active_rentals -= 1
        renter.spent_usd += accrued_floor(rental.rate_usd, event.used)
        if event.reason is CloseReason.EXPIRED:
            renter.completed_rentals += 1


@on(RentalRated)
def on_rental_rated(event: RentalRated, step: Step) -> None:
    """The renter rates the rental."""
    listing = step.change(Listing, event.listing, event.listing_seq)
    if listing is not None:
        listing.rating_sum += event.weight * event.rating
        listing.rating_weight += event.weight
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    rental.rating = event.rating
    step.rows.add(
        Rating(
            rental=rental.address,
            listing=rental.listing,
            host=rental.host,
            rating=event.rating,
            weight=event.weight,
            at=event.at,
            signature=step.signature,
        )
    )


@on(IssueReported)
def on_issue_reported(event: IssueReported, step: Step) -> None:
    """A renter says what is wrong with the machine."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is not None:
        listing.issues += 1
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    step.rows.add(
        RentalIssue(
            rental=rental.address,
            seq=event.seq,
            listing=rental.listing,
            issue=issue_name(event.issue),
            at=event.at,
            signature=step.signature,
        )
    )


def record_state(step: Step, rental: Pubkey, seq: int, status: JobState, at: int, message: str) -> None:
    """Adds to a rental's history."""
    step.rows.add(
        RentalState(rental=str(rental), seq=seq, status=status.value, at=at, message=message, signature=step.signature)
    )


def _opened(event: RentalOpened, listing: Listing | None, signature: str) -> Rental:
    return Rental(
        address=str(event.rental),
        renter=str(event.renter),
        listing=str(event.listing),
        host=str(event.host),
        mint=str(event.mint),
        shard=event.shard,
        nonce=event.nonce,
        kind=kind_name(event.kind),
        status=JobState.QUEUED.value,
        gpu_model=listing.gpu_model if listing else 0,
        gpu_count=listing.gpu_count if listing else 0,
        region=listing.region if listing else 0,
        duration=event.duration,
        deposit=event.deposit,
        subsidy=event.subsidy,
        rate=event.rate,
        subsidy_rate=event.subsidy_rate,
        burn_rate=event.burn_rate,
        fee_rate=event.fee_rate,
        rate_usd=event.rate_usd,
        holdback_bps=event.holdback_bps,
        provision_timeout=event.provision_timeout,
        offline_after=event.offline_after,
        tip_lamports=event.tip_lamports,
        order_hash=event.order_hash.hex(),
        opened_at=event.at,
        open_signature=signature,
        seq=event.seq,
    )


def _vacate(event: RentalClosed, step: Step) -> None:
    listing = step.change(Listing, event.listing, event.listing_seq)
    if listing is None:
        return
    if listing.challenger == str(event.rental):
        listing.challenger = None
        bid = step.rows.change(SpotBid, str(event.rental))
        if bid is not None:
            bid.outcome, bid.decided_at = event.reason.name.lower(), event.at
        return
    listing.current = None
    listing.idle_since = event.at
    if event.reason in HOST_FAULTS:
        listing.failed += 1
    elif event.completed:
        listing.completed += 1


def _record_payment(step: Step, rental: Rental, seq: int, at: int, paid: int, seconds: int) -> None:
    step.rows.add(
        Settlement(
            rental=rental.address,
            seq=seq,
            host=rental.host,
            mint=rental.mint,
            paid=paid,
            seconds=seconds,
            at=at,
            signature=step.signature,
        )
    )
