"""Drops disputed usage that the renter has not accepted in time."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Meter
from anchor_client.generated.instructions import resolve_dispute
from anchor_client.rules.meter import resolve_by
from keeper.tasks.meter_due import MeterTask


def _due_at(meter: Meter, rental_gone: bool) -> int | None:
    return resolve_by(meter) + 1 if meter.disputed > 0 else None


RESOLVE_DISPUTE: Final = MeterTask("resolve_dispute", _due_at, resolve_dispute, pays=(False, False))
