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
        Rental.opened_at.label("created_at"),
        Rental.address.label("id"),
        Rental.status,
        Rental.renter,
        Rental.listing,
        Rental.host,
        Rental.gpu_model.label("gpu"),
        Rental.gpu_count,
        Rental.region,
        Rental.kind,
        Rental.mint,
        PaymentMint.decimals,
        Rental.duration,
        Rental.used,
        Rental.deposit,
        Rental.subsidy,
        Rental.rate,
        Rental.rate_usd,
        Rental.burned,
        Rental.refunded,
        Rental.subsidy_returned,
        Rental.paid.label("host_paid"),
        Rental.fees,
        Rental.tip_lamports,
        Rental.closed_by.label("finalized_by"),
        Rental.close_reason,
        Rental.rating,
        Rental.order_hash,
        Rental.started_at,
        Rental.paid_until,
        Rental.closed_at.label("ended_at"),
        Rental.open_signature.label("open_tx"),
        Rental.close_signature.label("close_tx"),
        Listing.current,
        Listing.challenger,
        Listing.preempt_at,
    )
    .join(PaymentMint, PaymentMint.mint == Rental.mint)
    .join(Listing, Listing.address == Rental.listing, isouter=True)
)
"""Rentals by the names of a job's fields, with their machines' places; plain columns, for entities cost several times
their JSON."""
NAMES = tuple(JOBS.selected_columns.keys())

JOB = JOBS.add_columns(Rental.connection).where(Rental.address == bindparam("job"))
STATES = (
    select(RentalState.status, RentalState.at.label("ts"), RentalState.message, RentalState.signature.label("tx"))
    .where(RentalState.rental == bindparam("job"))
    .order_by(RentalState.seq)
)
PAYMENTS = (
    select(
        Settlement.paid.label("amount"), Settlement.seconds, Settlement.at.label("ts"), Settlement.signature.label("tx")
    )
    .where(Settlement.rental == bindparam("job"))
    .order_by(Settlement.seq)
)
ISSUES = (
    select(RentalIssue.issue, RentalIssue.at.label("ts"), RentalIssue.signature.label("tx"))
    .where(RentalIssue.rental == bindparam("job"))
    .order_by(RentalIssue.seq)
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
