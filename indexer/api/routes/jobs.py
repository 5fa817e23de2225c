"""GET /api/jobs and /api/jobs/{id}: rentals, running and ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel
from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, select

from anchor_client.kinds import JobState
from anchor_client.resources.job import Job, JobCompensation, JobIssue, JobPayment, JobStatus, derive
from indexer.api.deps import Chain, CursorText, Limit
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.job_progress import HEARD, TERMS, progress_at
from indexer.api.kept.dependence import JobDependence, kept
from indexer.api.kept.making import keeping
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText, GpuText, RegionText, gpu_number, region_number
from indexer.models import (
    Compensation,
    Listing,
    Meter,
    PaymentMint,
    Rental,
    RentalEntry,
    RentalIssue,
    RentalState,
    Settlement,
)
from indexer.status import Status

router = StrictRouter(prefix="/api/jobs", tags=["jobs"])


class JobPage(BaseModel):
    """A page of jobs and the next cursor."""

    jobs: list[Job]
    next_cursor: NextCursor


NAMED_ALIKE = (
    *("status", "renter", "listing", "host", "gpu_count", "region", "kind", "mint", "duration", "used", "deposit"),
    *("subsidy", "rate", "rate_usd", "burned", "refunded", "subsidy_returned", "host_paid", "fees", "tip_lamports"),
    *("finalized_by", "close_reason", "rating", "order_hash", "started_at", "paid_until", "ended_at", "open_tx"),
    *("close_tx", "charged", "min_charge", "not_as_listed", "took_over", "owed", "spec_version", "compensation"),
    *("may_finish", "exit_code", "held", "contest_by"),
)
JOBS = (
    select(
        Rental.c.created_at,
        Rental.c.address.label("id"),
        Rental.c.gpu_model.label("gpu"),
        *(Rental.c[name] for name in NAMED_ALIKE),
        PaymentMint.c.decimals,
        Listing.c.current,
        Listing.c.challenger,
        Listing.c.preempt_at,
        *TERMS,
        *HEARD,
    )
    .select_from(Rental.table)
    .join(PaymentMint.table, PaymentMint.c.mint == Rental.c.mint)
    .join(Listing.table, Listing.c.address == Rental.c.listing, isouter=True)
)
"""Rentals by the names of a job's fields, and who holds their machines and waits for them."""
FILTERED = ("renter", "status", "region", "listing", "host", "gpu_model")
STATE_OF = {state.value: state for state in JobState}
NAMES = tuple(JOBS.selected_columns.keys())[: -len(TERMS + HEARD)]
PAGES = Pages(
    JOBS,
    {name: Rental.c[name] == bindparam(name) for name in FILTERED},
    descending=True,
)

METER = select(Meter.c.address).where(Meter.c.rental == Rental.c.address).scalar_subquery()
JOB = JOBS.add_columns(Rental.c.connection, METER.label("meter")).where(Rental.c.address == bindparam("job"))


def _of_job(entry: type[RentalEntry]) -> ColumnElement[bool]:
    return and_(entry.c.since == bindparam("since"), entry.c.rental == bindparam("job"))


STATES = (
    select(*(RentalState.c[name] for name in JobStatus.names())).where(_of_job(RentalState)).order_by(RentalState.c.seq)
)
PAYMENTS = (
    select(*(Settlement.c[name] for name in JobPayment.names())).where(_of_job(Settlement)).order_by(Settlement.c.seq)
)
COMPENSATIONS = (
    select(*(Compensation.c[name] for name in JobCompensation.names()))
    .where(Compensation.c.holder == bindparam("job"))
    .order_by(Compensation.c.ts, Compensation.c.challenger)
)
ISSUES = (
    select(*(RentalIssue.c[name] for name in JobIssue.names())).where(_of_job(RentalIssue)).order_by(RentalIssue.c.seq)
)


@router.get("", summary="Jobs, newest first", responses=refusals(400, 422))
@kept(Rental, Listing, PaymentMint, jobs=JobDependence.SOME)
async def list_jobs(
    request: Request,
    chain: Chain,
    renter: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    status: Annotated[JobState | None, Query(description="Only in this state.")] = None,
    region: Annotated[RegionText | None, Query(description="Only in this region.", examples=["eu-west"])] = None,
    listing: Annotated[AddressText | None, Query(description="Only of this machine.")] = None,
    host: Annotated[AddressText | None, Query(description="Only of this host, by its account.")] = None,
    gpu: Annotated[GpuText | None, Query(examples=["nvidia-h100-pcie-80gb"])] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> JobPage:
    """A page of jobs, without their histories."""
    filters = {
        "renter": renter,
        "status": None if status is None else status.value,
        "region": region_number(region),
        "listing": listing,
        "host": host,
        "gpu_model": gpu_number(gpu),
    }
    return await keeping(
        request, lambda connection: _page(connection, filters, limit, cursor, chain), lambda page: _until(*page.jobs)
    )


@router.get("/{id}", summary="One job with its history", responses=refusals(404, 422))
@kept(
    *(Rental, Listing, PaymentMint, Meter, RentalState, Settlement, Compensation, RentalIssue), jobs=JobDependence.ONE
)
async def get_job(request: Request, chain: Chain, id: AddressText) -> Job:
    """A job by the address of its rental, with its states, payments to its host, compensations and reported issues."""
    return await keeping(request, lambda connection: _job(connection, id, chain), _until)


def _until(*jobs: Job) -> int | None:
    """Moment until which jobs' answers hold: progress is exact for its second alone. None without progress."""
    told = [job.progress.as_of for job in jobs if job.progress is not None]
    return min(told) + 1 if told else None


def _page(
    connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None, chain: Status
) -> JobPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return JobPage(jobs=[Job.known(**_fields(row, chain)) for row in rows], next_cursor=following)


def _job(connection: Connection, id: str, chain: Status) -> Job:
    row = connection.execute(JOB, {"job": id}).first()
    if row is None:
        raise missing("job", id)
    job = {"job": id, "since": row.created_at}
    return Job.known(
        **_fields(row, chain),
        connection=row.connection,
        meter=row.meter,
        history=tuple(
            JobStatus.known(status=JobState(status), ts=ts, message=message, tx=tx, preempt_at=preempt_at)
            for status, ts, message, tx, preempt_at in connection.execute(STATES, job)
        ),
        payments=tuple(JobPayment.known(**row) for row in connection.execute(PAYMENTS, job).mappings()),
        compensations=tuple(JobCompensation.known(**row) for row in connection.execute(COMPENSATIONS, job).mappings()),
        issues=tuple(JobIssue.known(**row) for row in connection.execute(ISSUES, job).mappings()),
    )


def find_job(connection: Connection, id: str, chain: Status) -> Job | None:
    """A job as lists have it."""
    row = connection.execute(JOB, {"job": id}).first()
    return None if row is None else Job.known(**_fields(row, chain))


def _fields(row: Row[*tuple[Any, ...]], chain: Status) -> dict[str, Any]:
    fields = dict(zip(NAMES, row, strict=False))
    fields["status"] = STATE_OF[fields["status"]]
    fields["token"] = chain.symbol(fields["mint"])
    fields["progress"] = progress_at(fields, row[len(NAMES) :], chain)
    current = fields.pop("current")
    challenger = fields.pop("challenger")
    preempt_at = fields.pop("preempt_at")
    return derive(fields, current=current, challenger=challenger, preempt_at=preempt_at)
