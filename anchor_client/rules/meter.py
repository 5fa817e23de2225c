"""The windows of optional charges: twin of `programs/gpu_market/src/state/meter.rs`. Times are unix seconds."""

from __future__ import annotations

from anchor_client.generated.accounts import Meter


def report_by(meter: Meter) -> int | None:
    """Last moment at which the host may report; None while the rental goes on."""
    return meter.ended_at + meter.charge_window if meter.ended_at else None


def dispute_by(meter: Meter) -> int:
    """Last moment at which the renter may dispute what is pending."""
    return meter.reported_at + meter.charge_window


def resolve_by(meter: Meter) -> int:
    """Last moment at which a dispute still waits for the renter's acceptance."""
    return meter.disputed_at + meter.charge_window


def claimed(meter: Meter) -> int:
    """What a meter charges if the renter agrees to all that has been reported, base units."""
    return meter.accepted + meter.pending + meter.disputed
