"""Divides the cap of a meter on which nothing can be charged any more."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Meter
from anchor_client.generated.instructions import close_meter
from anchor_client.rules.meter import dispute_by, report_by
from keeper.tasks.meter_due import MeterTask


def _due_at(meter: Meter, rental_gone: bool) -> int | None:
    last_report = report_by(meter)
    if last_report is None or meter.disputed > 0:
        return None
    return (max(last_report, dispute_by(meter)) if meter.pending > 0 else last_report) + 1


CLOSE_METER: Final = MeterTask("close_meter", _due_at, close_meter, pays=(True, True))
