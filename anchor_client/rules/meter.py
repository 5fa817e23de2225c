"""Windows and limits of optional charges: twin of `programs/gpu_market/src/state/meter.rs`. Times are unix seconds."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Meter, Rental
from anchor_client.generated.constants import MB_PER_GB, SECONDS_PER_HOUR
from anchor_client.generated.pdas import find_meter


def meter_to_end(address: Pubkey, rental: Rental, program_id: Pubkey) -> Pubkey | None:
    """The meter that whatever ends the rental must take along; None where it has none."""
    return find_meter(address, program_id)[0] if rental.has_meter else None


def report_by(meter: Meter) -> int | None:
    """Last moment at which the host may report; None while the rental runs."""
    return meter.ended_at + meter.charge_window if meter.ended_at else None


def dispute_by(meter: Meter) -> int:
    """Last moment at which the renter may dispute what is pending."""
    return meter.reported_at + meter.charge_window


def resolve_by(meter: Meter) -> int:
    """Last moment at which a dispute still waits for the renter's acceptance."""
    return meter.disputed_at + meter.charge_window


def claimed(meter: Meter) -> int:
    """Total charge of a meter if the renter agrees to all that has been reported, base units."""
    return meter.accepted + meter.pending + meter.disputed


def storage_limit_floor(meter: Meter, since: int, paid_until: int, now: int) -> int:
    """The most GB-hours of storage that can have been used since a second, rounded down: none after the paid time, or
    after the time used once the rental has ended."""
    return meter.storage_gb * max(0, min(now, paid_until) - since) // SECONDS_PER_HOUR


def stored_from(meter: Meter, rental: Rental) -> int:
    """When storage begins to count while a rental runs: the meter's opening, or a later start."""
    return max(meter.opened_at, rental.started_at)


def is_charged(meter: Meter, bandwidth_mb: int, storage_gb_hours: int) -> bool:
    """True where such totals cost the renter anything that earlier reports have not."""
    free = meter.bandwidth_free_gb * MB_PER_GB
    traffic = max(0, bandwidth_mb - max(free, meter.bandwidth_mb)) * meter.bandwidth_rate
    return traffic + max(0, storage_gb_hours - meter.storage_gb_hours) * meter.storage_rate > 0
