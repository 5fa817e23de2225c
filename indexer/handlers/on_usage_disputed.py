from __future__ import annotations

from anchor_client.generated.events import UsageDisputed
from indexer.handlers.meters import enter, follow_meter
from indexer.handlers.step import Step


def on_usage_disputed(event: UsageDisputed, step: Step) -> None:
    """A renter freezes what was pending."""
    meter = follow_meter(event, step)
    if meter is None:
        return
    meter.accepted = event.accepted
    meter.pending = event.pending
    meter.disputed = event.disputed
    meter.resolve_by = event.resolve_by
    enter(meter, event, step, "disputed", event.amount)
