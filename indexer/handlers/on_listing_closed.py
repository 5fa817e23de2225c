from __future__ import annotations

from anchor_client.generated.events import ListingClosed
from indexer.handlers.step import Step
from indexer.models import Host, Listing


def on_listing_closed(event: ListingClosed, step: Step) -> None:
    """A machine leaves the market."""
    host = step.rows.change(Host, str(event.host))
    if host is None:
        step.unknown("host", event.host, event.host_seq)
    else:
        host.seq = step.follow("host", event.host, host.seq, event.host_seq)
        host.open_listings -= 1
        host.points = event.host_points
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        return step.unknown("listing", event.listing, event.seq)
    listing.seq = step.follow("listing", event.listing, listing.seq, event.seq)
    listing.closed_at = event.at
