from __future__ import annotations

from anchor_client.generated.events import UsageReported
from indexer.handlers.meters import enter, follow_meter
from indexer.handlers.step import Step


def on_usage_reported(event: UsageReported, step: Step) -> None:
    """A host reports what a rental has used."""
    meter = follow_meter(event, step)
    if meter is None:
        return
    meter.bandwidth_mb = event.bandwidth_mb
    meter.storage_gb_hours = event.storage_gb_hours
    meter.accepted = event.accepted
    meter.pending = event.pending
    meter.disputed = event.disputed
    meter.dispute_by = event.dispute_by
    enter(meter, event, step, "reported", event.added)
