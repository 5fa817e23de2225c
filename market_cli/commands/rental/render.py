"""Jobs as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from solders.pubkey import Pubkey

from anchor_client.amounts import duration, tokens, usd
from anchor_client.generated.types import RentalIssue
from anchor_client.kinds import ISSUES, JobState, kind_name
from anchor_client.resources.job import Job, JobIssue
from market_cli.output import details, table
from market_cli.plain_text import theirs
from market_cli.units import day, moment
from market_cli.worth import NO_WORTH, Worth, cents

NO_WEIGHT = "it came after the first hour, or your earlier payments are below its minimum charge"
COLOURS = {
    JobState.QUEUED: "yellow",
    JobState.PROVISIONING: "yellow",
    JobState.RUNNING: "green",
    JobState.COMPLETED: "blue",
    JobState.FAILED: "red",
    JobState.CANCELLED: "dim",
    JobState.PREEMPTED: "magenta",
}


def coloured(state: JobState) -> str:
    """A state's name, coloured."""
    return f"[{COLOURS[state]}]{state.value}[/]"


def amount(job: Job, base_units: int) -> str:
    """A displayed amount of the job's token."""
    return tokens(base_units, job.decimals, job.token or str(job.mint))


def jobs_table(jobs: Sequence[Job], names: Mapping[str, Pubkey], worth: Worth = NO_WORTH) -> Table:
    """One row per rental, with its newest name if it has one."""
    called = {str(job): f" [bold]{name}[/]" for name, job in names.items()}
    rows = table("job", "status", "gpu", "region", "kind", "ordered", "duration", "paid/h", "cost", whole=("ordered",))
    for job in jobs:
        rows.add_row(
            str(job.id) + called.get(str(job.id), ""),
            coloured(job.status),
            job.gpu or "—",
            job.region or "—",
            kind_name(job.kind),
            day(job.created_at),
            duration(job.duration) + _left(job),
            amount(job, job.rate) + worth.beside(job.mint, job.rate),
            _cost(job, worth) + _still_owed(job),
        )
    return rows


def total_cost(jobs: Sequence[Job], worth: Worth) -> str:
    """Cost of the rentals so far, by token and in dollars."""
    spent: dict[Pubkey, int] = {}
    for job in jobs:
        spent[job.mint] = spent.get(job.mint, 0) + _spent(job)
    of_mint = {job.mint: job for job in jobs}
    said = " and ".join(amount(of_mint[mint], units) for mint, units in spent.items())
    dollars = worth.total(spent.items())
    return f"Cost so far: {said}" + ("" if dollars is None else f", {cents(dollars)} at present prices")


def job_table(job: Job, worth: Worth = NO_WORTH, *, received: Sequence[str] = (), note: str | None = None) -> Table:
    """Everything about one rental; `received` are the compensations paid to its renter, `note` is the host's last
    message to them. Dollars are at present prices.
    """

    def say(value: int) -> str:
        return amount(job, value) + worth.beside(job.mint, value)

    lines = [
        ("job", str(job.id)),
        ("status", f"{coloured(job.status)}  {job.message}"),
        ("machine", f"{job.gpu or 'unknown GPU'} in {job.region or 'unknown region'}"),
        ("listing", str(job.listing)),
        ("kind", f"{kind_name(job.kind)}, {usd(job.rate_usd)}/h list price, {say(job.rate)}/h paid"),
        ("ordered", moment(job.created_at)),
        ("duration", duration(job.duration) + _used(job)),
        ("deposit", f"{say(job.deposit)}, and {say(job.subsidy)} of subsidy"),
    ]
    if job.progress is not None:
        lines.append(("cost so far", f"{say(job.progress.cost)} for {duration(job.progress.used)}{_left(job)}"))
        if job.progress.refund_if_stopped is not None:
            lines.append(("if stopped now", f"{say(job.progress.refund_if_stopped)} refunded"))
    lines += [("reported", _reported(each)) for each in job.issues or ()]
    if job.compensation:
        lines.append(("compensation", f"{say(job.compensation)} paid for the machine's holder"))
    if received:
        lines.append(("received", f"{', '.join(received)} in compensation"))
    if job.status.is_final:
        lines += [
            ("cost", say(job.cost)),
            ("burned", f"{say(job.burned)}" + (f"  in {job.burn_tx}" if job.burn_tx is not None else "")),
            ("refunded", say(job.refunded) + _owed(job)),
            ("host paid", say(job.host_paid)),
            ("fees", say(job.fees)),
            *([] if job.exit_code is None else [("exit code", f"{job.exit_code}{_contestable(job)}")]),
            ("ended by", str(job.finalized_by)),
            *([] if note is None else [("host's message", theirs(note))]),
        ]
    return details(*lines)


def _cost(job: Job, worth: Worth) -> str:
    """Cost of a job; for one that runs, the cost so far and the maximum."""
    most = amount(job, job.cost) + worth.beside(job.mint, job.cost)
    if job.progress is None:
        return most
    return f"{amount(job, job.progress.cost)} of {most}"


def _spent(job: Job) -> int:
    """Cost so far; of a job that has not started the compensation that it has paid."""
    if job.status.is_final:
        return job.cost
    return job.compensation if job.progress is None else job.progress.cost


def _left(job: Job) -> str:
    return "" if job.progress is None else f", {duration(job.progress.left)} left"


def _still_owed(job: Job) -> str:
    return f", {amount(job, job.owed)} owed to you" if job.owed else ""


def _owed(job: Job) -> str:
    if not job.owed:
        return ""
    return f", {amount(job, job.owed)} of it not paid yet: `gpu-market claim {job.id}`"


def _contestable(job: Job) -> str:
    if not job.held or job.contest_by is None:
        return ""
    return f", contestable until {moment(job.contest_by)}: `gpu-market contest {job.id}`"


def _reported(issue: JobIssue) -> str:
    if ISSUES[issue.issue] is not RentalIssue.NOT_AS_LISTED:
        return issue.issue
    if issue.weight_usd == 0:
        return f"{issue.issue}; without weight: {NO_WEIGHT}"
    return f"{issue.issue}; weight {usd(issue.weight_usd)} against the host; the minimum charge is waived"


def _used(job: Job) -> str:
    if job.used is None or job.charged is None:
        return ""
    charged = "" if job.charged == job.used else f", {duration(job.charged)} charged"
    return f", {duration(job.used)} used{charged}"
