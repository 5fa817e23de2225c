"""Jobs from the index's rows."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from anchor_client.kinds import JobState
from anchor_client.resources.job import Job, JobIssue, JobPayment, JobStatus, derive
from anchor_client.rules.catalog import gpu_slug, region_slug
from indexer.models import Listing, PaymentMint, Rental, RentalIssue, RentalState, Settlement

JOBS = (
    select(
        Rental.c.opened_at.label("created_at"),
        Rental.c.address.label("id"),
        Rental.c.status,
        Rental.c.renter,
        Rental.c.listing,
        Rental.c.host,
        Rental.c.gpu_model.label("gpu"),
        Rental.c.gpu_count,
        Rental.c.region,
        Rental.c.kind,
        Rental.c.mint,
        PaymentMint.c.decimals,
        Rental.c.duration,
        Rental.c.used,
        Rental.c.deposit,
        Rental.c.subsidy,
        Rental.c.rate,
        Rental.c.rate_usd,
        Rental.c.burned,
        Rental.c.refunded,
        Rental.c.subsidy_returned,
        Rental.c.paid.label("host_paid"),
        Rental.c.fees,
        Rental.c.tip_lamports,
        Rental.c.closed_by.label("finalized_by"),
        Rental.c.close_reason,
        Rental.c.rating,
        Rental.c.order_hash,
        Rental.c.started_at,
        Rental.c.paid_until,
        Rental.c.closed_at.label("ended_at"),
        Rental.c.open_signature.label("open_tx"),
        Rental.c.close_signature.label("close_tx"),
        Listing.c.current,
        Listing.c.challenger,
        Listing.c.preempt_at,
    )
    .join(PaymentMint.table, PaymentMint.c.mint == Rental.c.mint)
    .join(Listing.table, Listing.c.address == Rental.c.listing, isouter=True)
)
"""Rentals by the names of a job's fields, with their machines' places; plain columns, for entities cost several times
their JSON."""
NAMES = tuple(JOBS.selected_columns.keys())

JOB = JOBS.add_columns(Rental.c.connection).where(Rental.c.address == bindparam("job"))
STATES = (
    select(
        RentalState.c.status, RentalState.c.at.label("ts"), RentalState.c.message, RentalState.c.signature.label("tx")
    )
    .where(RentalState.c.rental == bindparam("job"))
    .order_by(RentalState.c.seq)
)
PAYMENTS = (
    select(
        Settlement.c.paid.label("amount"),
        Settlement.c.seconds,
        Settlement.c.at.label("ts"),
        Settlement.c.signature.label("tx"),
    )
    .where(Settlement.c.rental == bindparam("job"))
    .order_by(Settlement.c.seq)
)
ISSUES = (
    select(RentalIssue.c.issue, RentalIssue.c.at.label("ts"), RentalIssue.c.signature.label("tx"))
    .where(RentalIssue.c.rental == bindparam("job"))
    .order_by(RentalIssue.c.seq)
)


def job_of(row: Row[*tuple[Any, ...]]) -> Job:
    """The job of a row of JOBS."""
    return Job.model_construct(**_fields(row))


def find_job(connection: Connection, address: str) -> Job | None:
    """A job with all that happened to it; None when the index has no such rental."""
    job = {"job": address}
    row = connection.execute(JOB, job).first()
    if row is None:
        return None
    return Job.model_construct(
        **_fields(row),
        connection=row.connection,
        history=tuple(
            JobStatus.model_construct(status=JobState(status), ts=ts, message=message, tx=tx)
            for status, ts, message, tx in connection.execute(STATES, job)
        ),
        payments=tuple(JobPayment.model_construct(**row._mapping) for row in connection.execute(PAYMENTS, job)),
        issues=tuple(JobIssue.model_construct(**row._mapping) for row in connection.execute(ISSUES, job)),
    )


def _fields(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
    fields = dict(zip(NAMES, row, strict=False))
    fields["status"] = JobState(fields["status"])
    fields["gpu"], fields["region"] = gpu_slug(fields["gpu"]), region_slug(fields["region"])
    place = {name: fields.pop(name) for name in ("current", "challenger", "preempt_at")}
    return derive(fields, **place)
