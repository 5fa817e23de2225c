"""Notes that a meter's rental has ended, which starts the time of the host's last report."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Meter
from anchor_client.generated.instructions import end_meter
from keeper.tasks.meter_due import MeterTask


def _due_at(meter: Meter, rental_gone: bool) -> int | None:
    return meter.opened_at if rental_gone and meter.ended_at == 0 else None


END_METER: Final = MeterTask("end_meter", _due_at, end_meter, pays=(False, False))
