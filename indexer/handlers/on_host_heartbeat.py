from __future__ import annotations

from anchor_client.generated.events import HostHeartbeat
from anchor_client.generated.pdas import find_listing
from indexer.handlers.step import Step
from indexer.models import Host, Listing


def on_host_heartbeat(event: HostHeartbeat, step: Step) -> None:
    """A host shows that listings are up."""
    host = step.rows.change(Host, str(event.host))
    if host is None:
        step.unknown("host", event.host, event.seq)
    else:
        host.seq = step.follow("host", event.host, host.seq, event.seq)
        host.tracked_seconds = event.tracked_seconds
        host.up_seconds = event.up_seconds
    for beat in event.listings:
        address = find_listing(event.host, beat.id)[0]
        listing = step.rows.change(Listing, str(address))
        if listing is None:
            step.unknown("listing", address, beat.seq)
            continue
        listing.seq = step.follow("listing", address, listing.seq, beat.seq)
        listing.last_heartbeat_at = event.at
        listing.tracked_seconds = beat.tracked_seconds
        listing.up_seconds = beat.up_seconds
