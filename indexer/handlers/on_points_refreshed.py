from __future__ import annotations

from anchor_client.generated.events import PointsRefreshed
from indexer.handlers.locks import follow_host
from indexer.handlers.step import Step
from indexer.models import Listing


def on_points_refreshed(event: PointsRefreshed, step: Step) -> None:
    """A listing takes the catalog's present points."""
    host = follow_host(step, event.host, event.host_seq)
    if host is not None:
        host.points = event.host_points
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        return step.unknown("listing", event.listing, event.seq)
    listing.seq = step.follow("listing", event.listing, listing.seq, event.seq)
    listing.points = event.new
