from __future__ import annotations

from anchor_client.generated.events import ListingCreated
from indexer.handlers.step import Step
from indexer.models import Host, Listing


def on_listing_created(event: ListingCreated, step: Step) -> None:
    """A host lists a machine."""
    host = step.rows.change(Host, str(event.host))
    if host is None:
        step.unknown("host", event.host, event.host_seq)
    else:
        host.seq = step.follow("host", event.host, host.seq, event.host_seq)
        host.open_listings += 1
        host.points = event.host_points
    step.rows.add(
        Listing(
            address=str(event.listing),
            host=str(event.host),
            authority=str(event.authority),
            number=event.id,
            created_at=event.at,
            idle_since=event.at,
            points=event.points,
            seq=step.follow("listing", event.listing, 0, event.seq),
            **event.spec.field_values(),
        )
    )
