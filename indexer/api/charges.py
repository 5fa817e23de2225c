"""How a job's optional charges look in answers."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from indexer.api.values import BaseUnits
from indexer.models import Meter, MeterEntry


class Charges(BaseModel):
    """What a listing charges beyond its price; zero charges nothing."""

    bandwidth_usd: int = Field(description="Micro-USD per GB of outbound traffic above the allowance.")
    bandwidth_free_gb: int = Field(description="GB of outbound traffic that the price includes, per job.")
    storage_usd: int = Field(description="Micro-USD per GB and hour of persistent storage.")


class ChargeEntry(BaseModel):
    """Something that happened to a job's charges."""

    kind: str = Field(examples=["reported"])
    amount: BaseUnits
    bandwidth_mb: BaseUnits = Field(description="MB reported so far.")
    storage_gb_hours: BaseUnits = Field(description="GB-hours reported so far.")
    ts: int
    tx: str


class JobCharges(BaseModel):
    """A job's meter. Amounts are base units of `mint`, times unix seconds."""

    job: str
    meter: str = Field(description="Address of the meter.")
    mint: str
    decimals: int = Field(description="Decimals of `mint`.")
    charges: Charges = Field(description="The unit prices that the meter opened with.")
    bandwidth_rate: BaseUnits = Field(description="Base units per TB of traffic above the allowance.")
    storage_rate: BaseUnits = Field(description="Base units per 1000 GB-hours.")
    storage_gb: int = Field(description="GB of storage that the renter asked for.")
    cap: BaseUnits = Field(description="The most that is ever charged, in escrow.")
    bandwidth_mb: BaseUnits
    storage_gb_hours: BaseUnits
    accepted: BaseUnits = Field(description="Charged for good, payments included.")
    pending: BaseUnits = Field(description="Reported, and open to dispute until `dispute_by`.")
    disputed: BaseUnits = Field(description="Disputed, and open to acceptance until `resolve_by`.")
    paid: BaseUnits
    refunded: BaseUnits = Field(description="Back to the renter, once the meter is closed.")
    dispute_by: int | None
    resolve_by: int | None
    report_by: int | None = Field(description="Until when the host may report; null before the job's end is noted.")
    opened_at: int
    ended_at: int | None
    closed_at: int | None
    history: list[ChargeEntry]


def job_charges(meter: Meter, entries: Sequence[MeterEntry], decimals: int, now: int) -> JobCharges:
    """A meter as it stands at `now`: what was pending is accepted once its window has passed."""
    lapsed = meter.pending if now > meter.dispute_by else 0
    pending = meter.pending - lapsed
    return JobCharges(
        job=meter.rental,
        meter=meter.address,
        mint=meter.mint,
        decimals=decimals,
        charges=Charges(
            bandwidth_usd=meter.bandwidth_usd, bandwidth_free_gb=meter.bandwidth_free_gb, storage_usd=meter.storage_usd
        ),
        bandwidth_rate=str(meter.bandwidth_rate),
        storage_rate=str(meter.storage_rate),
        storage_gb=meter.storage_gb,
        cap=str(meter.cap),
        bandwidth_mb=str(meter.bandwidth_mb),
        storage_gb_hours=str(meter.storage_gb_hours),
        accepted=str(meter.accepted + lapsed),
        pending=str(pending),
        disputed=str(meter.disputed),
        paid=str(meter.paid),
        refunded=str(meter.refunded),
        dispute_by=meter.dispute_by if pending else None,
        resolve_by=meter.resolve_by if meter.disputed else None,
        report_by=None if meter.ended_at is None else meter.ended_at + meter.charge_window,
        opened_at=meter.opened_at,
        ended_at=meter.ended_at,
        closed_at=meter.closed_at,
        history=[
            ChargeEntry(
                kind=entry.kind,
                amount=str(entry.amount),
                bandwidth_mb=str(entry.bandwidth_mb),
                storage_gb_hours=str(entry.storage_gb_hours),
                ts=entry.at,
                tx=entry.signature,
            )
            for entry in entries
        ],
    )
