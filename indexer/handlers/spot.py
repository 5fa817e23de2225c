"""Orders that wait for a machine which another rental holds."""

from __future__ import annotations

from anchor_client.generated.events import ChallengerWithdrawn, RentalPreempting, RentalTookOver
from indexer.handlers.rental import record
from indexer.handlers.step import Step, on
from indexer.models import Listing, Rental, SpotBid


@on(RentalPreempting)
def on_rental_preempting(event: RentalPreempting, step: Step) -> None:
    """A better order waits for a machine, and its holder is warned."""
    waiting = {"challenger": str(event.challenger), "preempt_at": event.preempt_at}
    step.change(Listing, event.listing, event.listing_seq, **waiting)
    holder = step.change(Rental, event.rental, event.seq)
    if holder is not None:
        record(event, holder, event.seq, step)
    challenger = step.rows.find(Rental, str(event.challenger))
    if challenger is None:
        return
    step.rows.add(
        SpotBid(
            rental=challenger.address,
            listing=challenger.listing,
            holder=str(event.rental),
            renter=challenger.renter,
            kind=challenger.kind,
            rate_usd=challenger.rate_usd,
            placed_at=event.at,
            preempt_at=event.preempt_at,
            tx=step.signature,
        )
    )


@on(ChallengerWithdrawn)
def on_challenger_withdrawn(event: ChallengerWithdrawn, step: Step) -> None:
    """An order that waited left and nobody took its place: the holder keeps the machine."""
    left = {"challenger": None, "preempt_at": None, "challenge_from": event.challenge_from}
    step.change(Listing, event.listing, event.listing_seq, **left)


@on(RentalTookOver)
def on_rental_took_over(event: RentalTookOver, step: Step) -> None:
    """An order that waited holds its machine."""
    held = {"current": str(event.rental), "challenger": None, "preempt_at": None}
    listing = step.change(Listing, event.listing, event.listing_seq, **held)
    if listing is not None:
        listing.opened += 1
    rental = step.change(Rental, event.rental, event.seq)
    if rental is None:
        return
    record(event, rental, event.seq, step)
    bid = step.rows.change(SpotBid, str(event.rental))
    if bid is not None:
        bid.outcome, bid.decided_at = "took_over", event.at
