from __future__ import annotations

from anchor_client.generated.events import RentalTookOver
from anchor_client.kinds import LIVE_MESSAGES, JobState
from indexer.handlers.step import Step
from indexer.models import Listing, Rental, SpotBid


def on_rental_took_over(event: RentalTookOver, step: Step) -> None:
    """An order that waited holds its machine."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        step.unknown("listing", event.listing, event.listing_seq)
    else:
        listing.seq = step.follow("listing", event.listing, listing.seq, event.listing_seq)
        listing.current = str(event.rental)
        listing.challenger = listing.preempt_at = None
        listing.opened += 1
    rental = step.rows.change(Rental, str(event.rental))
    if rental is None:
        return step.unknown("rental", event.rental, event.seq)
    rental.seq = step.follow("rental", event.rental, rental.seq, event.seq)
    step.enter(event.rental, event.seq, JobState.QUEUED, event.at, LIVE_MESSAGES[JobState.QUEUED])
    bid = step.rows.change(SpotBid, str(event.rental))
    if bid is not None:
        bid.outcome, bid.decided_at = "took_over", event.at
