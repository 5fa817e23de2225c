"""How a job looks in answers."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import Row, bindparam, select

from indexer.api.values import BaseUnits, gpu_name, region_name
from indexer.models import PaymentMint, Rental, RentalIssue, RentalState, Settlement


class Job(BaseModel):
    """A rental. Amounts are base units of `mint`, times unix seconds."""

    id: str = Field(description="Address of the rental.")
    status: str = Field(examples=["running"])
    renter: str
    listing: str
    host: str
    gpu: str = Field(examples=["nvidia-h100-pcie-80gb"])
    gpu_count: int
    region: str = Field(examples=["eu-west"])
    kind: str = Field(examples=["on-demand"])
    mint: str
    decimals: int = Field(description="Decimals of `mint`.")
    duration: int = Field(description="Seconds paid for.")
    used: int = Field(description="Seconds used, once it has ended.")
    deposit: BaseUnits
    subsidy: BaseUnits
    rate: BaseUnits = Field(description="What the renter pays an hour, fees and burn included.")
    rate_usd: int = Field(description="Micro-USD per machine-hour when it was opened.")
    cost: BaseUnits = Field(description="What the renter paid once it has ended; until then the most it costs.")
    burned: BaseUnits
    burn_tx: str | None = Field(description="The transaction that burned.")
    refunded: BaseUnits
    subsidy_returned: BaseUnits
    host_paid: BaseUnits = Field(description="What the host has been paid, settlements included.")
    fees: BaseUnits
    finalized_by: str | None = Field(description="Who ended it.")
    close_reason: str | None = Field(examples=["stopped"])
    rating: int | None
    order_hash: str = Field(description="SHA-256 of the order document, in hex.")
    created_at: int
    started_at: int | None
    paid_until: int | None
    ended_at: int | None
    open_tx: str
    close_tx: str | None


class JobState(BaseModel):
    """A state a job entered."""

    status: str
    ts: int
    message: str
    tx: str


class JobPayment(BaseModel):
    """A payment to the host."""

    amount: BaseUnits
    seconds: int = Field(description="Seconds of the job paid for with it.")
    ts: int
    tx: str


class JobIssue(BaseModel):
    """What the renter found wrong with the machine."""

    issue: str = Field(examples=["unreachable"])
    ts: int
    tx: str


class JobDetail(Job):
    """A job with all that happened to it."""

    connection: str | None = Field(description="Base64, sealed to the renter's key.")
    history: list[JobState]
    payments: list[JobPayment]
    issues: list[JobIssue] = Field(description="Reported by the renter.")


class JobPage(BaseModel):
    """Some jobs, and where the next ones are."""

    jobs: list[Job]
    next_cursor: str | None = Field(description="Null on the last page.")


JOBS = select(
    Rental.opened_at.label("created_at"),
    Rental.address.label("id"),
    Rental.status,
    Rental.renter,
    Rental.listing,
    Rental.host,
    Rental.gpu_model,
    Rental.gpu_count,
    Rental.region.label("region_number"),
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
    Rental.closed_by.label("finalized_by"),
    Rental.close_reason,
    Rental.rating,
    Rental.order_hash,
    Rental.started_at,
    Rental.paid_until,
    Rental.closed_at.label("ended_at"),
    Rental.open_signature.label("open_tx"),
    Rental.close_signature.label("close_tx"),
).join(PaymentMint, PaymentMint.mint == Rental.mint)
"""Rentals by the names of a job's fields; plain columns, for a page of entities costs several times its JSON."""

JOB = JOBS.add_columns(Rental.connection).where(Rental.address == bindparam("job"))
"""One rental, with its sealed connection."""

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

FIELDS = tuple(JOBS.selected_columns.keys())


def job_of(row: Row[*tuple[Any, ...]]) -> Job:
    """The job of a row of JOBS."""
    return Job.model_validate(_fields(row))


def job_detail(
    row: Row[*tuple[Any, ...]],
    states: Iterable[Row[*tuple[Any, ...]]],
    payments: Iterable[Row[*tuple[Any, ...]]],
    issues: Iterable[Row[*tuple[Any, ...]]],
) -> JobDetail:
    """The job of a row of JOB with its history, rows of STATES, PAYMENTS and ISSUES."""
    fields = _fields(row)
    fields["connection"] = None if row.connection is None else base64.b64encode(row.connection).decode()
    fields["history"] = [state._mapping for state in states]
    fields["payments"] = [payment._mapping for payment in payments]
    fields["issues"] = [issue._mapping for issue in issues]
    return JobDetail.model_validate(fields)


def _fields(row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
    fields = dict(zip(FIELDS, row, strict=False))
    fields["gpu"], fields["region"] = gpu_name(row.gpu_model), region_name(row.region_number)
    fields["cost"] = row.deposit if row.ended_at is None else row.deposit - row.refunded
    fields["burn_tx"] = row.close_tx if row.burned else None
    return fields
