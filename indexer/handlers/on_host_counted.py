from __future__ import annotations

from anchor_client.generated.events import HostCounted
from anchor_client.generated.pdas import find_listing
from indexer.handlers.step import Step
from indexer.models import Host, Listing


def on_host_counted(event: HostCounted, step: Step) -> None:
    """Listings hand over what they have counted; their own rows keep what they counted in their whole life."""
    host = step.rows.change(Host, str(event.host))
    if host is None:
        step.unknown("host", event.host, event.seq)
    else:
        host.seq = step.follow("host", event.host, host.seq, event.seq)
        host.rating_sum, host.rating_weight = event.rating_sum, event.rating_weight
        host.completed, host.failed = event.completed, event.failed
    for count in event.listings:
        address = find_listing(event.host, count.id)[0]
        listing = step.rows.change(Listing, str(address))
        if listing is None:
            step.unknown("listing", address, count.seq)
        else:
            listing.seq = step.follow("listing", address, listing.seq, count.seq)
