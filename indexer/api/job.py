"""How a job looks in answers."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from indexer.api.values import BaseUnits, gpu_slug, region_slug
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
    spec_hash: str = Field(description="SHA-256 of the order document, in hex.")
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


def job_of(rental: Rental, mints: Mapping[str, PaymentMint]) -> Job:
    """The job of a rental."""
    return Job.model_validate(_fields(rental, mints))


def job_detail(
    rental: Rental,
    mints: Mapping[str, PaymentMint],
    states: Sequence[RentalState],
    settlements: Sequence[Settlement],
    issues: Sequence[RentalIssue],
) -> JobDetail:
    """The job of a rental with its history."""
    fields = _fields(rental, mints)
    fields["connection"] = None if rental.connection is None else base64.b64encode(rental.connection).decode()
    fields["history"] = [
        JobState(status=state.status, ts=state.at, message=state.message, tx=state.signature) for state in states
    ]
    fields["payments"] = [
        JobPayment(amount=str(payment.paid), seconds=payment.seconds, ts=payment.at, tx=payment.signature)
        for payment in settlements
    ]
    fields["issues"] = [JobIssue(issue=item.issue, ts=item.at, tx=item.signature) for item in issues]
    return JobDetail.model_validate(fields)


def _fields(rental: Rental, mints: Mapping[str, PaymentMint]) -> dict[str, object]:
    ended = rental.closed_at is not None
    return {
        "id": rental.address,
        "status": rental.status,
        "renter": rental.renter,
        "listing": rental.listing,
        "host": rental.host,
        "gpu": gpu_slug(rental.gpu_model),
        "gpu_count": rental.gpu_count,
        "region": region_slug(rental.region),
        "kind": rental.kind,
        "mint": rental.mint,
        "decimals": mints[rental.mint].decimals,
        "duration": rental.duration,
        "used": rental.used,
        "deposit": rental.deposit,
        "subsidy": rental.subsidy,
        "rate": rental.rate,
        "rate_usd": rental.rate_usd,
        "cost": rental.deposit - rental.refunded if ended else rental.deposit,
        "burned": rental.burned,
        "burn_tx": rental.close_signature if rental.burned else None,
        "refunded": rental.refunded,
        "subsidy_returned": rental.subsidy_returned,
        "host_paid": rental.paid,
        "fees": rental.fees,
        "finalized_by": rental.closed_by,
        "close_reason": rental.close_reason,
        "rating": rental.rating,
        "spec_hash": rental.spec_hash,
        "created_at": rental.opened_at,
        "started_at": rental.started_at,
        "paid_until": rental.paid_until,
        "ended_at": rental.closed_at,
        "open_tx": rental.open_signature,
        "close_tx": rental.close_signature,
    }
