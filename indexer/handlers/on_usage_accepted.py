from __future__ import annotations

from anchor_client.generated.events import UsageAccepted
from indexer.handlers.meters import enter, follow_meter
from indexer.handlers.step import Step


def on_usage_accepted(event: UsageAccepted, step: Step) -> None:
    """A renter agrees to all that has been reported."""
    meter = follow_meter(event, step)
    if meter is None:
        return
    meter.accepted = event.accepted
    meter.pending = meter.disputed = 0
    enter(meter, event, step, "accepted", event.amount)
