from __future__ import annotations

from anchor_client.generated.events import MeterClosed
from indexer.handlers.meters import change_vault, enter, follow_meter, pay
from indexer.handlers.step import Step


def on_meter_closed(event: MeterClosed, step: Step) -> None:
    """The cap is divided in full."""
    meter = follow_meter(event, step)
    if meter is None:
        return
    meter.accepted = meter.paid = event.paid
    meter.pending = meter.disputed = 0
    meter.refunded = event.refunded
    meter.closed_at = event.at
    meter.close_signature = step.signature
    enter(meter, event, step, "closed", event.paid_now)
    change_vault(meter, event.vault_seq, step, lambda vault: pay(vault, event.paid_now, event.refunded))
