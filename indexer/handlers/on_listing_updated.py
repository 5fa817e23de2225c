from __future__ import annotations

from anchor_client.generated.events import ListingUpdated
from indexer.handlers.locks import follow_host
from indexer.handlers.step import Step
from indexer.models import Listing


def on_listing_updated(event: ListingUpdated, step: Step) -> None:
    """A host changes what a listing says."""
    host = follow_host(step, event.host, event.host_seq)
    if host is not None:
        host.points = event.host_points
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        return step.unknown("listing", event.listing, event.seq)
    listing.seq = step.follow("listing", event.listing, listing.seq, event.seq)
    listing.points = event.points
    for name, value in event.spec.field_values().items():
        setattr(listing, name, value)
