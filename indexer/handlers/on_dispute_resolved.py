from __future__ import annotations

from anchor_client.generated.events import DisputeResolved
from indexer.handlers.meters import enter, follow_meter
from indexer.handlers.step import Step


def on_dispute_resolved(event: DisputeResolved, step: Step) -> None:
    """Disputed usage is dropped."""
    meter = follow_meter(event, step)
    if meter is None:
        return
    meter.disputed = 0
    enter(meter, event, step, "dropped", event.dropped)
