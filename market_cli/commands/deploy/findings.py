"""Findings of the doctor as people and programs read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from anchor_client.doctor.finding import Finding, Level, worst
from market_cli.output import table

COLORS = {Level.OK: "green", Level.WARNING: "yellow", Level.FAILURE: "red"}


def document_of(findings: Sequence[Finding]) -> dict[str, Any]:
    """For programs."""
    return {"status": worst(findings).value, "findings": [found.to_json() for found in findings]}


def rows_of(findings: Sequence[Finding]) -> Table:
    """For people."""
    rows = table("", "check", "finding")
    for found in findings:
        remedy = f"\n[dim]{found.remedy}[/]" if found.remedy else ""
        rows.add_row(f"[{COLORS[found.level]}]{found.level.value}[/]", found.check, found.message + remedy)
    return rows
