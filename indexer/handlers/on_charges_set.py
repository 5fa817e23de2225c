from __future__ import annotations

from anchor_client.generated.events import ChargesSet
from indexer.handlers.step import Step
from indexer.models import Listing


def on_charges_set(event: ChargesSet, step: Step) -> None:
    """A host prices traffic and storage."""
    listing = step.rows.change(Listing, str(event.listing))
    if listing is None:
        return step.unknown("listing", event.listing, event.seq)
    listing.seq = step.follow("listing", event.listing, listing.seq, event.seq)
    for name, value in event.new.field_values().items():
        setattr(listing, name, value)
