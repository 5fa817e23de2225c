from __future__ import annotations

from anchor_client.generated.events import RentalPreempting
from anchor_client.kinds import PREEMPTING_MESSAGE, JobState
from indexer.handlers.step import Step
from indexer.models import Listing, Rental, SpotBid


def on_rental_preempting(event: RentalPreempting, step: Step) -> None:
    """A better order waits for a machine, and its holder is warned."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        step.unknown("listing", event.listing, event.listing_seq)
    else:
        listing.seq = step.follow("listing", event.listing, listing.seq, event.listing_seq)
        listing.challenger = str(event.challenger)
        listing.preempt_at = event.preempt_at
    holder = step.rows.change(Rental, str(event.rental))
    if holder is None:
        step.unknown("rental", event.rental, event.seq)
    else:
        holder.seq = step.follow("rental", event.rental, holder.seq, event.seq)
        step.enter(event.rental, event.seq, JobState(holder.status), event.at, PREEMPTING_MESSAGE)
    challenger = step.rows.find(Rental, str(event.challenger))
    if challenger is None:
        return
    bid = SpotBid(
        rental=challenger.address,
        listing=challenger.listing,
        holder=str(event.rental),
        renter=challenger.renter,
        kind=challenger.kind,
        rate_usd=challenger.rate_usd,
        placed_at=event.at,
        preempt_at=event.preempt_at,
        signature=step.signature,
    )
    step.rows.add(bid)
