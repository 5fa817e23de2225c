"""Rentals as the command line shows them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from anchor_client.amounts import usd
from anchor_client.market import Job, JobState, JobStatus, kind_name
from market_cli.currencies import Currencies
from market_cli.output import Json, table
from market_cli.units import duration, short

COLOURS = {
    JobState.QUEUED: "yellow",
    JobState.PROVISIONING: "yellow",
    JobState.RUNNING: "green",
    JobState.COMPLETED: "blue",
    JobState.FAILED: "red",
    JobState.CANCELLED: "dim",
    JobState.PREEMPTED: "magenta",
}


def job_document(job: Job, currencies: Currencies) -> Json:
    """A rental for programs; amounts are base units."""
    return {
        "job": str(job.id),
        "state": job.state.value,
        "message": job.message,
        "renter": str(job.renter),
        "listing": str(job.listing),
        "gpu": job.gpu,
        "region": job.region,
        "kind": kind_name(job.kind),
        "token": job.token,
        "mint": str(job.mint),
        "decimals": currencies.decimals(job.mint),
        "duration": job.duration,
        "used": job.used,
        "deposit": job.deposit,
        "subsidy": job.subsidy,
        "rate_per_hour": job.rate,
        "rate_usd_micro": job.rate_usd,
        "cost": job.cost,
        "burned": job.burned,
        "refunded": job.refunded,
        "host_paid": job.host_paid,
        "fees": job.fees,
        "subsidy_returned": job.subsidy_returned,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "paid_until": job.paid_until,
        "ended_at": job.ended_at,
        "preempt_at": job.preempt_at,
        "reason": job.reason.name.lower() if job.reason is not None else None,
        "finalized_by": str(job.closed_by) if job.closed_by is not None else None,
        "open_tx": str(job.open_tx) if job.open_tx is not None else None,
        "end_tx": str(job.end_tx) if job.end_tx is not None else None,
        "burn_tx": str(job.burn_tx) if job.burn_tx is not None else None,
        "order_hash": job.order_hash.hex(),
        "history": [status_document(status) for status in job.history],
    }


def status_document(status: JobStatus) -> Json:
    """A state that a rental entered."""
    return {
        "state": status.state.value,
        "ts": status.ts,
        "message": status.message,
        "tx": str(status.signature) if status.signature is not None else None,
        "preempt_at": status.preempt_at,
    }


def coloured(state: JobState) -> str:
    """A state's name in its colour."""
    return f"[{COLOURS[state]}]{state.value}[/]"


def jobs_table(jobs: Sequence[Job], currencies: Currencies) -> Table:
    """One row a rental."""
    rows = table(None, "job", "state", "gpu", "region", "kind", "duration", "$/h", "cost")
    for job in jobs:
        rows.add_row(
            str(job.id),
            coloured(job.state),
            job.gpu or "—",
            job.region or "—",
            kind_name(job.kind),
            duration(job.duration),
            usd(job.rate_usd),
            currencies.say(job.mint, job.cost),
        )
    return rows


def job_table(job: Job, currencies: Currencies) -> Table:
    """Everything about one rental."""
    rows = table(None, "", "")
    rows.show_header = False

    def amount(value: int) -> str:
        return currencies.say(job.mint, value)

    lines = [
        ("job", str(job.id)),
        ("state", f"{coloured(job.state)}  {job.message}"),
        ("machine", f"{job.gpu or 'unknown GPU'} in {job.region or 'unknown region'}, listing {short(job.listing)}"),
        ("kind", f"{kind_name(job.kind)}, {usd(job.rate_usd)}/h at the market, {amount(job.rate)}/h paid"),
        ("duration", duration(job.duration) + (f", {duration(job.used)} used" if job.used is not None else "")),
        ("deposit", f"{amount(job.deposit)}, and {amount(job.subsidy)} of subsidy"),
    ]
    if job.state.is_final:
        lines += [
            ("cost", amount(job.cost)),
            ("burned", f"{amount(job.burned)}" + (f"  in {job.burn_tx}" if job.burn_tx is not None else "")),
            ("refunded", amount(job.refunded)),
            ("host paid", amount(job.host_paid)),
            ("fees", amount(job.fees)),
            ("ended by", str(job.closed_by)),
        ]
    for name, text in lines:
        rows.add_row(f"[bold]{name}[/]", text)
    return rows
