"""Charges of a listing on top of its price, and those of a job."""

from __future__ import annotations

from typing import Any

from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.types import Charges
from anchor_client.resources.base import Address, BaseUnits, Resource, Tx, about


class ListingCharges(Resource):
    """Unit prices of traffic and storage on top of a listing's price, micro-USD; zero for no charge."""

    bandwidth_usd: int = about(description="Micro-USD per GB of outbound traffic above the allowance.")
    bandwidth_free_gb: int = about(description="GB of outbound traffic included in the price, per job.")
    storage_usd: int = about(description="Micro-USD per GB and hour of persistent storage.")


class ChargeEntry(Resource):
    """An event of a job's charges."""

    kind: str = about(examples=["reported"])
    amount: BaseUnits
    bandwidth_mb: BaseUnits = about(description="MB reported so far.")
    storage_gb_hours: BaseUnits = about(description="GB-hours reported so far.")
    ts: int
    tx: Tx


class JobCharges(Resource):
    """A job's meter. Amounts are base units of `mint`, times unix seconds."""

    job: Address
    meter: Address = about(description="Address of the meter.")
    renter: Address
    host_authority: Address = about(description="The host's wallet.")
    mint: Address
    decimals: int = about(description="Decimals of `mint`.")
    charges: ListingCharges | None = about(
        default=None, description="The unit prices at the meter's opening; only the index keeps them."
    )
    bandwidth_free_gb: int = about(description="GB of outbound traffic included in the price.")
    bandwidth_rate: BaseUnits = about(description="Base units per TB of traffic above the allowance.")
    storage_rate: BaseUnits = about(description="Base units per 1000 GB-hours.")
    storage_gb: int = about(description="GB of storage requested by the renter.")
    cap: BaseUnits = about(description="The maximum of all charges, in escrow.")
    bandwidth_mb: BaseUnits
    storage_gb_hours: BaseUnits
    accepted: BaseUnits = about(description="Accepted charges, payments included.")
    pending: BaseUnits = about(description="Reported, and open to dispute until `dispute_by`.")
    disputed: BaseUnits = about(description="Disputed, and open to acceptance until `resolve_by`.")
    paid: BaseUnits
    refunded: BaseUnits | None = about(
        default=None, description="Refund to the renter; null before the meter is closed."
    )
    kept: BaseUnits | None = about(
        default=None,
        description="A fee: lost by a host whose account could not take it; null before the meter is closed.",
    )
    dispute_by: int | None
    resolve_by: int | None
    report_by: int | None = about(description="Deadline of the host's reports; null before the job's end is recorded.")
    opened_at: int
    paid_until: int = about(description="End of charged storage; 0 before the job was seen running.")
    ended_at: int | None
    closed_at: int | None = None
    history: tuple[ChargeEntry, ...] | None = about(default=None, description="Null when read only from its account.")


def job_charges(
    meter: Any,
    *,
    job: Pubkey | str,
    address: Pubkey | str,
    decimals: int,
    dispute_by: int,
    resolve_by: int,
    now: int,
    **known: Any,
) -> JobCharges:
    """The charges of a meter's account or of its row in the index, which share field names, at `now`. Pending usage
    counts as accepted once `dispute_by` has passed. `known` are the fields that only the index has.
    """
    lapsed = meter.pending if now > dispute_by else 0
    pending = meter.pending - lapsed
    ended_at = meter.ended_at or None
    return JobCharges.drawn_from(
        meter,
        job=job,
        meter=address,
        host_authority=meter.authority,
        decimals=decimals,
        accepted=meter.accepted + lapsed,
        pending=pending,
        dispute_by=dispute_by if pending else None,
        resolve_by=resolve_by if meter.disputed else None,
        report_by=None if ended_at is None else ended_at + meter.charge_window,
        ended_at=ended_at,
        **known,
    )


def say_charges(charges: Charges | ListingCharges) -> str:
    """Unit prices as text."""
    parts = []
    if charges.bandwidth_usd:
        parts.append(f"{usd(charges.bandwidth_usd)}/GB out above {charges.bandwidth_free_gb} GB")
    if charges.storage_usd:
        parts.append(f"{usd(charges.storage_usd)}/GB-hour of storage")
    return ", ".join(parts) or "—"
