"""Output of the doctor's findings, for people and programs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from anchor_client.doctor.finding import Finding, Level, worst
from market_cli.errors import BadOption
from market_cli.output import table
from market_cli.plain_text import theirs

COLORS = {Level.OK: "green", Level.WARNING: "yellow", Level.FAILURE: "red"}


def document_of(findings: Sequence[Finding]) -> dict[str, Any]:
    """Findings as JSON."""
    return {"status": worst(findings).value, "findings": [found.to_json() for found in findings]}


def rows_of(findings: Sequence[Finding]) -> Table:
    """Findings as a table."""
    rows = table("", "check", "finding")
    for found in findings:
        remedy = f"\n[dim]{theirs(found.remedy)}[/]" if found.remedy else ""
        rows.add_row(f"[{COLORS[found.level]}]{found.level.value}[/]", found.check, theirs(found.message) + remedy)
    return rows


def write_metrics(file: Path, findings: Sequence[Finding]) -> None:
    """Writes metrics for Prometheus: the number of findings by check and level, and their time. Replaces the whole
    file.
    """
    counts = Counter((found.check, found.level) for found in findings)
    lines = ["# HELP gpu_market_doctor_findings Findings of the last check.", "# TYPE gpu_market_doctor_findings gauge"]
    for check in dict.fromkeys(found.check for found in findings):
        name = f'gpu_market_doctor_findings{{check="{check}",level='
        lines += [f'{name}"{level.value}"}} {counts[check, level]}' for level in Level]
    lines += _expiries(findings)
    lines += [
        "# HELP gpu_market_doctor_timestamp_seconds Time of the last check, unix seconds.",
        "# TYPE gpu_market_doctor_timestamp_seconds gauge",
        f"gpu_market_doctor_timestamp_seconds {time.time():.0f}",
    ]
    unfinished = file.with_suffix(".new")
    try:
        unfinished.write_text("\n".join(lines) + "\n", "utf-8")
        unfinished.replace(file)
    except OSError as error:
        raise BadOption(f"{file} cannot be written: {error.strerror}", "Name another with --metrics.") from error


def _expiries(findings: Sequence[Finding]) -> list[str]:
    expiring = [found for found in findings if found.expires_at is not None]
    if not expiring:
        return []
    name = "gpu_market_doctor_expires_timestamp_seconds"
    told = [f"# HELP {name} Time at which what was checked expires, unix seconds.", f"# TYPE {name} gauge"]
    return told + [f'{name}{{check="{found.check}"}} {found.expires_at}' for found in expiring]
