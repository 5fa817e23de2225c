from __future__ import annotations

from anchor_client.generated.events import ChallengerWithdrawn
from indexer.handlers.step import Step
from indexer.models import Listing


def on_challenger_withdrawn(event: ChallengerWithdrawn, step: Step) -> None:
    """An order that waited left and nobody took its place: the holder keeps the machine."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        return step.unknown("listing", event.listing, event.listing_seq)
    listing.seq = step.follow("listing", event.listing, listing.seq, event.listing_seq)
    listing.challenger = listing.preempt_at = None
