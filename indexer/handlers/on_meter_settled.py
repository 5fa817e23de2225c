from __future__ import annotations

from anchor_client.generated.events import MeterSettled
from indexer.handlers.meters import change_vault, enter, follow_meter, pay
from indexer.handlers.step import Step


def on_meter_settled(event: MeterSettled, step: Step) -> None:
    """The host is paid what nobody may dispute any more."""
    meter = follow_meter(event, step)
    if meter is None:
        return
    meter.accepted = meter.paid = event.paid_total
    meter.pending = event.pending
    enter(meter, event, step, "paid", event.paid)
    change_vault(meter, event.vault_seq, step, lambda vault: pay(vault, event.paid))
