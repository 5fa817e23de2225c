"""Orders that wait for a machine which another rental holds."""

from __future__ import annotations

from anchor_client.generated.events import ChallengerWithdrawn, HolderCompensated, RentalPreempting, RentalTookOver
from anchor_client.projection import advance, compensation_paid
from indexer.index.handlers.ledger import change_ledger, vault_of
from indexer.index.handlers.rental import record
from indexer.index.handlers.series import count_money, recounts
from indexer.index.handlers.step import Step, on
from indexer.models import Compensation, Listing, Rental, SpotBid


@on(RentalPreempting)
def on_rental_preempting(event: RentalPreempting, step: Step) -> None:
    """The holder is warned that a better order waits for the machine."""
    step.change(Listing, event.listing, event.listing_seq)
    holder = step.change(Rental, event.rental, event.seq)
    if holder is not None:
        record(event, holder, event.seq, step)


@on(ChallengerWithdrawn)
def on_challenger_withdrawn(event: ChallengerWithdrawn, step: Step) -> None:
    """An order that waited left and nobody took its place: the holder keeps the machine, and may be compensated."""
    _note_compensation(event, step)
    left = {"challenger": None, "preempt_at": None, "challenge_from": event.challenge_from}
    step.change(Listing, event.listing, event.listing_seq, **left)


@on(RentalTookOver)
@recounts
def on_rental_took_over(event: RentalTookOver, step: Step) -> None:
    """An order that waited holds its machine, and compensates whoever it displaced."""
    held = {"current": str(event.rental), "challenger": None, "preempt_at": None}
    listing = step.change(Listing, event.listing, event.listing_seq, **held)
    if listing is not None:
        listing.opened += 1
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    rental.held_from = event.at
    rental.took_over = True
    record(event, rental, event.seq, step)
    bid = step.rows.change(SpotBid, str(event.rental))
    if bid is not None:
        bid.outcome = "took_over"
        bid.decided_at = event.at
    if event.compensation:
        _compensate(event, rental, step)


@on(HolderCompensated)
def on_holder_compensated(event: HolderCompensated, step: Step) -> None:
    """An order that waits on compensates whoever it displaced."""
    rental = step.change(Rental, event.rental, event.seq)
    if rental is not None:
        _compensate(event, rental, step)


def _compensate(event: RentalTookOver | HolderCompensated, challenger: Rental, step: Step) -> None:
    advance(challenger, event, step.signature)
    count_money(step, event.at, challenger.mint, fees=event.compensation_kept)
    _note_compensation(event, step)
    change_ledger(
        step,
        vault_of(challenger.mint, challenger.shard, step.program),
        event.vault_seq,
        liabilities=-event.compensation,
        fees_due=event.compensation_kept,
        total_compensated=event.compensation - event.compensation_kept,
    )


def _note_compensation(event: RentalTookOver | HolderCompensated | ChallengerWithdrawn, step: Step) -> None:
    paid = compensation_paid(event)
    if paid is not None:
        step.rows.add(
            Compensation(
                challenger=paid.challenger,
                holder=paid.holder,
                mint=paid.mint,
                amount=paid.amount,
                ts=paid.ts,
                tx=step.signature,
            )
        )
