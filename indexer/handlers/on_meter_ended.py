from __future__ import annotations

from anchor_client.generated.events import MeterEnded
from indexer.handlers.meters import enter, follow_meter
from indexer.handlers.step import Step


def on_meter_ended(event: MeterEnded, step: Step) -> None:
    """Somebody notes that a meter's rental has ended."""
    meter = follow_meter(event, step)
    if meter is None:
        return
    meter.ended_at = event.at
    enter(meter, event, step, "ended")
