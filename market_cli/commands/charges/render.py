"""Charges and meters for people."""

from __future__ import annotations

from rich.table import Table

from anchor_client.amounts import Denomination
from anchor_client.generated.constants import MB_PER_GB
from anchor_client.resources.charges import JobCharges
from market_cli.output import details
from market_cli.units import moment
from market_cli.worth import NO_WORTH, Worth


def charges_table(meter: JobCharges, token: Denomination, worth: Worth = NO_WORTH) -> Table:
    """Everything about a job's charges."""

    def say(value: int) -> str:
        return worth.say(token, meter.mint, value)

    dispute = ""
    if meter.dispute_by is not None:
        dispute = f", dispute it by {moment(meter.dispute_by)}"
    lines = [
        ("job", str(meter.job)),
        ("host", str(meter.host_authority)),
        ("cap", f"{say(meter.cap)}, {say(meter.cap - meter.paid)} of it in escrow"),
        ("traffic", f"{meter.bandwidth_mb / MB_PER_GB:,.3f} GB, {meter.bandwidth_free_gb} GB of it free"),
        ("storage", f"{meter.storage_gb_hours:,} GB-hours of {meter.storage_gb:,} GB"),
        ("accepted", f"{say(meter.accepted)}, {say(meter.paid)} of it paid"),
        ("pending", say(meter.pending) + dispute),
    ]
    if meter.resolve_by is not None:
        lines.append(("disputed", f"{say(meter.disputed)}, dropped after {moment(meter.resolve_by)}"))
    if meter.report_by is not None:
        lines.append(("last report", f"by {moment(meter.report_by)}"))
    return details(*lines)
