"""Charges and meters for people and programs."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.table import Table

from anchor_client.amounts import tokens, usd
from anchor_client.generated.types import Charges
from anchor_client.resources.charges import JobCharges, ListingCharges
from market_cli.output import table
from market_cli.units import short

MB_PER_GB = 1_000


def say_charges(charges: Charges | ListingCharges) -> str:
    """Unit prices for people."""
    parts = []
    if charges.bandwidth_usd:
        parts.append(f"{usd(charges.bandwidth_usd)}/GB out above {charges.bandwidth_free_gb} GB")
    if charges.storage_usd:
        parts.append(f"{usd(charges.storage_usd)}/GB-hour of storage")
    return ", ".join(parts) or "—"


def charges_table(meter: JobCharges, symbol: str) -> Table:
    """Everything about a job's charges."""
    rows = table(None, "", "")
    rows.show_header = False

    def amount(value: int) -> str:
        return tokens(value, meter.decimals, symbol)

    dispute = "" if meter.dispute_by is None else f", dispute it by {_clock(meter.dispute_by)}"
    lines = [
        ("job", str(meter.job)),
        ("host", short(meter.host_authority)),
        ("cap", f"{amount(meter.cap)}, {amount(meter.cap - meter.paid)} of it in escrow"),
        ("traffic", f"{meter.bandwidth_mb / MB_PER_GB:,.3f} GB, {meter.bandwidth_free_gb} GB of it free"),
        ("storage", f"{meter.storage_gb_hours:,} GB-hours of {meter.storage_gb:,} GB"),
        ("accepted", f"{amount(meter.accepted)}, {amount(meter.paid)} of it paid"),
        ("pending", amount(meter.pending) + dispute),
    ]
    if meter.resolve_by is not None:
        lines.append(("disputed", f"{amount(meter.disputed)}, dropped after {_clock(meter.resolve_by)}"))
    if meter.report_by is not None:
        lines.append(("last report", f"by {_clock(meter.report_by)}"))
    for name, text in lines:
        rows.add_row(f"[bold]{name}[/]", text)
    return rows


def _clock(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
