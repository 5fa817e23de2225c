"""Charges and meters for people and programs."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.table import Table
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.accounts import Meter
from anchor_client.generated.types import Charges
from anchor_client.rules.meter import dispute_by, lapsed_at, report_by, resolve_by
from market_cli.currencies import Currencies
from market_cli.output import Json, table
from market_cli.units import short

MB_PER_GB = 1_000


def charges_document(charges: Charges) -> Json:
    """Unit prices for programs, micro-USD."""
    return {
        "bandwidth_usd_micro": charges.bandwidth_usd,
        "bandwidth_free_gb": charges.bandwidth_free_gb,
        "storage_usd_micro": charges.storage_usd,
    }


def say_charges(charges: Charges) -> str:
    """Unit prices for people."""
    parts = []
    if charges.bandwidth_usd:
        parts.append(f"{usd(charges.bandwidth_usd)}/GB out above {charges.bandwidth_free_gb} GB")
    if charges.storage_usd:
        parts.append(f"{usd(charges.storage_usd)}/GB-hour of storage")
    return ", ".join(parts) or "—"


def meter_document(job: Pubkey, meter: Meter, now: int) -> Json:
    """A meter for programs as it stands at `now`, amounts in base units."""
    lapsed = lapsed_at(meter, now)
    return {
        "job": str(job),
        "renter": str(meter.renter),
        "host": str(meter.authority),
        "mint": str(meter.mint),
        "cap": meter.cap,
        "accepted": meter.accepted + lapsed,
        "pending": meter.pending - lapsed,
        "disputed": meter.disputed,
        "paid": meter.paid,
        "bandwidth_mb": meter.bandwidth_mb,
        "bandwidth_free_gb": meter.bandwidth_free_gb,
        "storage_gb": meter.storage_gb,
        "storage_gb_hours": meter.storage_gb_hours,
        "opened_at": meter.opened_at,
        "dispute_by": dispute_by(meter) if meter.pending > lapsed else None,
        "resolve_by": resolve_by(meter) if meter.disputed else None,
        "ended_at": meter.ended_at or None,
        "report_by": report_by(meter),
    }


def meter_table(job: Pubkey, meter: Meter, currencies: Currencies, now: int) -> Table:
    """Everything about one meter."""
    rows = table(None, "", "")
    rows.show_header = False
    lapsed = lapsed_at(meter, now)
    pending = meter.pending - lapsed

    def amount(value: int) -> str:
        return currencies.say(meter.mint, value)

    lines = [
        ("job", str(job)),
        ("host", short(meter.authority)),
        ("cap", f"{amount(meter.cap)}, {amount(meter.cap - meter.paid)} of it in escrow"),
        ("traffic", f"{meter.bandwidth_mb / MB_PER_GB:,.3f} GB, {meter.bandwidth_free_gb} GB of it free"),
        ("storage", f"{meter.storage_gb_hours:,} GB-hours of {meter.storage_gb:,} GB"),
        ("accepted", f"{amount(meter.accepted + lapsed)}, {amount(meter.paid)} of it paid"),
        ("pending", amount(pending) + (f", dispute it by {_clock(dispute_by(meter))}" if pending else "")),
    ]
    if meter.disputed:
        until = _clock(resolve_by(meter))
        lines.append(("disputed", f"{amount(meter.disputed)}, dropped after {until}"))
    last_report = report_by(meter)
    if last_report is not None:
        lines.append(("last report", f"by {_clock(last_report)}"))
    for name, text in lines:
        rows.add_row(f"[bold]{name}[/]", text)
    return rows


def _clock(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
