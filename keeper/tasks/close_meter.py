"""Divides the cap of a meter on which nothing can be charged any more."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Meter
from anchor_client.generated.instructions.close_meter import close_meter
from keeper.tasks.meter_due import MeterTask, dispute_by


def _due_at(meter: Meter, rental_gone: bool) -> int | None:
    if meter.ended_at == 0 or meter.disputed > 0:
        return None
    last_report = meter.ended_at + meter.charge_window
    return (max(last_report, dispute_by(meter)) if meter.pending > 0 else last_report) + 1


CLOSE_METER: Final = MeterTask("close_meter", _due_at, close_meter, pays=(True, True))
