from __future__ import annotations

from anchor_client.generated.events import RentalClosed
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types import CloseReason
from anchor_client.kinds import END_STATES
from anchor_client.rules.math import accrued_floor
from anchor_client.rules.rental import HOST_FAULTS
from indexer.handlers.step import Step
from indexer.handlers.totals import wrapping_add
from indexer.models import Listing, Rental, Renter, Settlement, SpotBid, Vault


def on_rental_closed(event: RentalClosed, step: Step) -> None:
    """A rental ends and its escrow is divided."""
    _vacate(event, step)
    rental = step.rows.change(Rental, str(event.rental))
    if rental is None:
        return step.unknown("rental", event.rental, event.seq)
    rental.seq = step.follow("rental", event.rental, rental.seq, event.seq)
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
    step.enter(event.rental, event.seq, state, event.at, message)
    _pay(event, rental, step)
    _count(event, rental, step)


def _vacate(event: RentalClosed, step: Step) -> None:
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        return step.unknown("listing", event.listing, event.listing_seq)
    listing.seq = step.follow("listing", event.listing, listing.seq, event.listing_seq)
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


def _pay(event: RentalClosed, rental: Rental, step: Step) -> None:
    if event.paid_now > 0:
        settlement = Settlement(
            rental=rental.address,
            seq=event.seq,
            host=rental.host,
            mint=rental.mint,
            paid=event.paid_now,
            seconds=event.used,
            at=event.at,
            signature=step.signature,
        )
        step.rows.add(settlement)
    address = find_vault(event.mint, rental.shard)[0]
    vault = step.rows.change(Vault, str(address))
    if vault is None:
        return step.unknown("vault", address, event.vault_seq)
    vault.seq = step.follow("vault", address, vault.seq, event.vault_seq)
    vault.open_rentals = wrapping_add(vault.open_rentals, -1)
    vault.liabilities = wrapping_add(
        vault.liabilities, -(event.paid_now + event.fees + event.burned + event.refunded + event.subsidy_returned)
    )
    vault.fees_due = wrapping_add(vault.fees_due, event.fees)
    vault.subsidy_pool = wrapping_add(vault.subsidy_pool, event.subsidy_returned)
    vault.total_paid = wrapping_add(vault.total_paid, event.paid_now)
    vault.total_burned = wrapping_add(vault.total_burned, event.burned)
    vault.total_refunded = wrapping_add(vault.total_refunded, event.refunded)


def _count(event: RentalClosed, rental: Rental, step: Step) -> None:
    renter = step.rows.change(Renter, str(event.renter))
    if renter is None:
        return
    renter.active_rentals -= 1
    renter.spent_usd += accrued_floor(rental.rate_usd, event.used)
    if event.reason is CloseReason.EXPIRED:
        renter.completed_rentals += 1
