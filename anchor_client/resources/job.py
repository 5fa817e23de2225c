"""A rental, as its renter calls it."""

from __future__ import annotations

from typing import Any

from anchor_client.kinds import END_MESSAGES, LIVE_MESSAGES, PREEMPTING_MESSAGE, WAITING_MESSAGE, JobState
from anchor_client.resources.base import Address, BaseUnits, Hash, Kind, Reason, Resource, Sealed, Tx, about
from anchor_client.rules.carbon import grams_ceil
from anchor_client.rules.catalog import gpu_slug, region_slug
from anchor_client.rules.listing import Heard
from anchor_client.rules.math import accrued_ceil
from anchor_client.rules.rental import Terms, stopped_at, used_at


class JobStatus(Resource):
    """A state a job entered, or what happened to it in one."""

    status: JobState
    ts: int
    message: str
    tx: Tx
    preempt_at: int | None = about(
        default=None, description="When the machine is handed to a better order, on the warning of it."
    )


class JobPayment(Resource):
    """A payment to the host."""

    amount: BaseUnits
    seconds: int = about(description="Seconds of the job that the host has been paid for with it.")
    ts: int
    tx: Tx


class JobCompensation(Resource):
    """Compensation paid to the job's renter by an order that displaced it, or that waited for its machine and left."""

    amount: BaseUnits = about(description="Base units of the mint that the other order was paid in.")
    mint: Address
    challenger: Address = about(description="The other order's job.")
    ts: int
    tx: Tx


class JobIssue(Resource):
    """Issue with the machine that the renter reported."""

    issue: str = about(examples=["unreachable"])
    weight_usd: int = about(
        description="Micro-USD, paid by the renter before, that it weighs against the host: of a report of "
        "not-as-listed that counts, else zero."
    )
    ts: int
    tx: Tx


class JobProgress(Resource):
    """Progress of a running job at the second `as_of`, charges for traffic and storage aside."""

    as_of: int = about(description="The chain's time that it is told for, unix seconds.")
    used: int = about(description="Seconds used so far.")
    left: int = about(description="Seconds left of the paid time.")
    cost: BaseUnits = about(description="What the seconds used cost, and what it paid as compensation, rounded up.")
    charged_if_stopped: int | None = about(
        description="Seconds paid for if its renter stops it in this second: no fewer than `min_charge`, if it is not "
        "waived, and without a reserved rental's discount. Null once its paid time is over."
    )
    refund_if_stopped: BaseUnits | None = about(
        description="What its renter then has back, to the base unit. Null once its paid time is over."
    )


def progress_of(rental: Terms, listing: Heard, compensation: int, now: int, slot: int) -> JobProgress:
    """The progress of a running rental on its machine at `now` and `slot`; `compensation` is what it has paid."""
    used, stop = used_at(rental, now), stopped_at(rental, listing, now, slot)
    return JobProgress.known(
        as_of=now,
        used=used,
        left=rental.duration - used,
        cost=accrued_ceil(rental.rate, used) + compensation,
        charged_if_stopped=None if stop is None else stop.charged,
        refund_if_stopped=None if stop is None else stop.shares.refunded,
    )


class Job(Resource):
    """One rental. Amounts are base units of `mint`, rates base units an hour, times unix seconds."""

    id: Address = about(description="Address of the rental.")
    status: JobState
    message: str = about(description="The status in words.")
    renter: Address
    listing: Address
    host: Address
    gpu: str | None = about(examples=["nvidia-h100-pcie-80gb"])
    gpu_count: int | None
    region: str | None = about(examples=["eu-west"])
    kind: Kind
    mint: Address
    token: str | None = about(default=None, description="The mint's symbol, where it is configured.")
    decimals: int = about(description="Decimals of `mint`.")
    duration: int = about(description="Seconds paid for.")
    used: int | None = about(description="Seconds used; null until it has ended.")
    progress: JobProgress | None = about(default=None, description="Only while it runs.")
    carbon_grams: int | None = about(
        default=None, description="CO2 of the seconds used, rounded up; null where its listing is not known."
    )
    min_charge: int = about(description="Least seconds that are paid for once it has started.")
    not_as_listed: bool = about(
        description="Whether its renter's report that the machine is not as listed counts; that waives `min_charge`."
    )
    charged: int | None = about(description="Seconds paid for in the end; null until it has ended.")
    spec_version: int | None = about(
        description="The listing's when it was ordered; null when it was read from its account alone."
    )
    deposit: BaseUnits = about(description="What the renter put in, without what it has paid as compensation.")
    subsidy: BaseUnits
    rate: BaseUnits = about(description="What the renter pays an hour, fees and burn included.")
    rate_usd: int = about(description="Micro-USD per machine-hour when it was opened.")
    cost: BaseUnits = about(description="What the renter paid, once it has ended; until then the most it can cost.")
    burned: BaseUnits
    burn_tx: Tx | None = about(description="The transaction that burned.")
    refunded: BaseUnits
    owed: BaseUnits = about(description="Of `refunded`, what the renter could not be paid and has yet to claim.")
    may_finish: bool = about(description="Whether its host may end it once its command has ended.")
    exit_code: int | None = about(description="What its command has ended with, as its host says.")
    held: BaseUnits = about(description="Of `host_paid`, what waits until `contest_by`.")
    contest_by: int | None = about(
        description="Until when the renter may contest that its command had ended; null once decided."
    )
    subsidy_returned: BaseUnits
    compensation: BaseUnits = about(description="What it paid to the renter it displaced, or left in peace.")
    host_paid: BaseUnits = about(description="What the host has been paid, settlements included.")
    fees: BaseUnits
    tip_lamports: BaseUnits = about(description="What whoever ends it once it is due earns in lamports.")
    rating: int | None = about(description="The renter's, 1 to 5.")
    order_hash: Hash = about(description="SHA-256 of the order document, in hex.")
    created_at: int
    started_at: int | None
    paid_until: int | None
    preempt_at: int | None = about(description="When the machine is handed to a better order that waits.")
    ended_at: int | None
    close_reason: Reason | None
    finalized_by: Address | None = about(description="Who ended it.")
    open_tx: Tx | None = about(description="Null when it was read from its account alone.")
    close_tx: Tx | None
    connection: Sealed | None = about(default=None, description="Base64, sealed to the renter's key; not in lists.")
    history: tuple[JobStatus, ...] | None = about(default=None, description="Every state it entered; not in lists.")
    payments: tuple[JobPayment, ...] | None = about(default=None, description="To the host; not in lists.")
    compensations: tuple[JobCompensation, ...] | None = about(
        default=None, description="What its renter was paid by orders that waited for its machine; not in lists."
    )
    issues: tuple[JobIssue, ...] | None = about(default=None, description="Reported by the renter; not in lists.")
    meter: Address | None = about(
        default=None,
        description="The account of its optional charges, also once closed; only the index knows it, and not in lists.",
    )


def derive(
    fields: dict[str, Any], *, current: str | None, challenger: str | None, preempt_at: int | None
) -> dict[str, Any]:
    """Adds to what is recorded of a job what follows from it, and gives it back.

    `current` holds its machine, `challenger` waits for it and gets it at `preempt_at`. GPU model and region come as
    numbers and become words.
    """
    gpu, region, progress = fields["gpu"], fields["region"], fields["progress"]
    if gpu is not None:
        used = (fields["used"] or 0) if progress is None else progress.used
        fields["carbon_grams"] = grams_ceil([(gpu, region, used * fields["gpu_count"])])
        fields["gpu"], fields["region"] = gpu_slug(gpu), region_slug(region)
    id, ended = fields["id"], fields["ended_at"] is not None
    is_challenged = not ended and current == id and challenger is not None
    fields["used"] = fields["used"] if ended else None
    fields["charged"] = fields["charged"] if ended else None
    fields["cost"] = fields["deposit"] + fields["compensation"] - (fields["refunded"] if ended else 0)
    fields["burn_tx"] = fields["close_tx"] if fields["burned"] else None
    fields["preempt_at"] = preempt_at if is_challenged else None
    if ended:
        fields["message"] = END_MESSAGES[fields["close_reason"]]
    elif challenger == id:
        fields["message"] = WAITING_MESSAGE
    else:
        fields["message"] = PREEMPTING_MESSAGE if is_challenged else LIVE_MESSAGES[fields["status"]]
    return fields
