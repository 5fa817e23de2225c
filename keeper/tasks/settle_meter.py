"""Pays a host the usage that nobody may dispute any more."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Meter
from anchor_client.generated.instructions import settle_meter
from anchor_client.rules.meter import dispute_by
from keeper.tasks.meter_due import MeterTask


def _due_at(meter: Meter, rental_gone: bool) -> int | None:
    if meter.accepted > meter.paid:
        return meter.opened_at
    return dispute_by(meter) + 1 if meter.pending > 0 else None


SETTLE_METER: Final = MeterTask("settle_meter", _due_at, settle_meter, pays=(True, False))
