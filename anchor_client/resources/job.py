"""A job: the users' word for a rental."""

from __future__ import annotations

from typing import Any

from anchor_client.kinds import END_MESSAGES, LIVE_MESSAGES, PREEMPTING_MESSAGE, WAITING_MESSAGE, JobState
from anchor_client.resources.base import Address, BaseUnits, Hash, Kind, Reason, Resource, Sealed, Tx, about
from anchor_client.rules.carbon import grams_ceil
from anchor_client.rules.catalog import gpu_slug, region_slug
from anchor_client.rules.listing import Heard
from anchor_client.rules.math import accrued_ceil
from anchor_client.rules.rental import EscrowTerms, stopped_at, used_at


class JobStatus(Resource):
    """A state that a job entered, or an event within a state."""

    status: JobState
    ts: int
    message: str
    tx: Tx
    preempt_at: int | None = about(
        default=None, description="Time of the hand-over to a better order, in a preemption warning."
    )


class JobPayment(Resource):
    """A payment to the host."""

    amount: BaseUnits
    seconds: int = about(description="Seconds of the job that it pays for.")
    ts: int
    tx: Tx


class JobCompensation(Resource):
    """Compensation paid to the job's renter by an order that displaced it, or that waited for its machine and was
    withdrawn.
    """

    amount: BaseUnits = about(description="Base units of the other order's payment mint.")
    mint: Address
    challenger: Address = about(description="The other order's job.")
    ts: int
    tx: Tx


class JobIssue(Resource):
    """The renter's report of an issue with the machine."""

    issue: str = about(examples=["unreachable"])
    weight_usd: int = about(
        description="Weight of the report against the host, in micro-USD of the renter's earlier payments; zero "
        "unless it is a not-as-listed report that counts."
    )
    ts: int
    tx: Tx


class JobProgress(Resource):
    """Progress of a running job at the second `as_of`, without charges for traffic and storage."""

    as_of: int = about(description="The chain's time of this progress, unix seconds.")
    used: int = about(description="Seconds used so far.")
    left: int = about(description="Seconds left of the paid time.")
    cost: BaseUnits = about(description="Cost of the seconds used and compensation paid, rounded up.")
    charged_if_stopped: int | None = about(
        description="Seconds charged if its renter stops it in this second: at least `min_charge` unless it is waived, "
        "and without a reserved rental's discount. Null once its paid time is over."
    )
    refund_if_stopped: BaseUnits | None = about(
        description="The refund in that case, to the base unit. Null once its paid time is over."
    )


def progress_of(rental: EscrowTerms, listing: Heard, compensation: int, now: int, slot: int) -> JobProgress:
    """The progress of a running rental on its machine at `now` and `slot`; `compensation` is the amount that it has
    paid.
    """
    used = used_at(rental, now)
    stop = stopped_at(rental, listing, now, slot)
    charged: int | None = None
    refund: int | None = None
    if stop is not None:
        charged = stop.charged
        refund = stop.shares.refunded
    return JobProgress.known(
        as_of=now,
        used=used,
        left=rental.duration - used,
        cost=accrued_ceil(rental.rate, used) + compensation,
        charged_if_stopped=charged,
        refund_if_stopped=refund,
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
    used: int | None = about(description="Seconds used; null until the job has ended.")
    progress: JobProgress | None = about(default=None, description="Present only while the job runs.")
    carbon_grams: int | None = about(
        default=None, description="CO2 of the seconds used, rounded up; null if its listing is unknown."
    )
    min_charge: int = about(description="Minimum seconds charged once it has started.")
    not_as_listed: bool = about(
        description="True if its renter's not-as-listed report counts, which waives `min_charge` unless it `took_over`."
    )
    took_over: bool = about(
        description="True if it waited for its machine and got it: it then costs `min_charge` at least, even unstarted."
    )
    charged: int | None = about(description="Seconds finally charged; null until the job has ended.")
    spec_version: int | None = about(
        description="The listing's version at the order; null when read only from the rental's account."
    )
    deposit: BaseUnits = about(description="The renter's deposit, without compensation paid.")
    subsidy: BaseUnits
    rate: BaseUnits = about(description="The renter's price per hour, fees and burn included.")
    rate_usd: int = about(description="Micro-USD per machine-hour when it was opened.")
    cost: BaseUnits = about(description="The renter's cost once the job has ended; until then the maximum cost.")
    burned: BaseUnits
    burn_tx: Tx | None = about(description="The transaction of the burn.")
    refunded: BaseUnits
    owed: BaseUnits = about(description="The part of `refunded` that could not be paid and is still to be claimed.")
    may_finish: bool = about(description="True if its host may end it once its command has ended.")
    exit_code: int | None = about(description="Exit code of its command, as reported by its host.")
    held: BaseUnits = about(description="The part of `host_paid` that is held until `contest_by`.")
    contest_by: int | None = about(description="Deadline for contesting that its command had ended; null once decided.")
    subsidy_returned: BaseUnits
    compensation: BaseUnits = about(description="Compensation paid to the renter of the machine's holder.")
    host_paid: BaseUnits = about(description="Total paid to the host, settlements included.")
    fees: BaseUnits
    tip_lamports: BaseUnits = about(description="Tip for ending it once it is due, in lamports.")
    rating: int | None = about(description="The renter's rating, 1 to 5.")
    order_hash: Hash = about(description="SHA-256 of the order document, in hex.")
    created_at: int
    started_at: int | None
    paid_until: int | None
    preempt_at: int | None = about(description="Time of the hand-over to a waiting better order.")
    ended_at: int | None
    close_reason: Reason | None
    finalized_by: Address | None = about(description="Address that ended it.")
    open_tx: Tx | None = about(description="Null when read only from its account.")
    close_tx: Tx | None
    connection: Sealed | None = about(
        default=None, description="The connection in base64, sealed to the renter's key; not in lists."
    )
    history: tuple[JobStatus, ...] | None = about(
        default=None, description="Every state that it entered; not in lists."
    )
    payments: tuple[JobPayment, ...] | None = about(default=None, description="Payments to the host; not in lists.")
    compensations: tuple[JobCompensation, ...] | None = about(
        default=None, description="Compensations paid to its renter; not in lists."
    )
    issues: tuple[JobIssue, ...] | None = about(
        default=None, description="Issues reported by the renter; not in lists."
    )
    meter: Address | None = about(
        default=None,
        description="The account of its optional charges, even if closed; only from the index, and not in lists.",
    )


def derive(
    fields: dict[str, Any], *, current: str | None, challenger: str | None, preempt_at: int | None
) -> dict[str, Any]:
    """Adds derived fields to a job's record, and returns it. `current` holds its machine, `challenger` waits for it and
    gets it at `preempt_at`. Converts GPU model and region from numbers to words.
    """
    gpu = fields["gpu"]
    region = fields["region"]
    progress = fields["progress"]
    if gpu is not None:
        used = (fields["used"] or 0) if progress is None else progress.used
        fields["carbon_grams"] = grams_ceil([(gpu, region, used * fields["gpu_count"])])
        fields["gpu"] = gpu_slug(gpu)
        fields["region"] = region_slug(region)
    id = fields["id"]
    ended = fields["ended_at"] is not None
    is_challenged = not ended and current == id and challenger is not None
    fields["cost"] = fields["deposit"] + fields["compensation"]
    if ended:
        fields["cost"] -= fields["refunded"]
    else:
        fields["used"] = None
        fields["charged"] = None
    fields["burn_tx"] = fields["close_tx"] if fields["burned"] else None
    fields["preempt_at"] = preempt_at if is_challenged else None
    if ended:
        fields["message"] = END_MESSAGES[fields["close_reason"]]
    elif challenger == id:
        fields["message"] = WAITING_MESSAGE
    elif is_challenged:
        fields["message"] = PREEMPTING_MESSAGE
    else:
        fields["message"] = LIVE_MESSAGES[fields["status"]]
    return fields
