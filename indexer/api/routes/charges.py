"""/api/jobs/{id}/charges: a job's traffic and storage charges."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from anchor_client.resources.charges import ChargeEntry, JobCharges, ListingCharges, job_charges
from indexer.api.deps import Chain, Read
from indexer.api.errors import ApiError, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText
from indexer.models import Meter, MeterEntry, PaymentMint

router = StrictRouter(prefix="/api/jobs", tags=["jobs"])

METER = (
    select(Meter.table, PaymentMint.c.decimals)
    .join(PaymentMint.table, PaymentMint.c.mint == Meter.c.mint)
    .where(Meter.c.rental == bindparam("job"))
)
ENTRIES = (
    select(*(MeterEntry.c[name] for name in ChargeEntry.names()))
    .where(MeterEntry.c.meter == bindparam("meter"))
    .order_by(MeterEntry.c.seq)
)


@router.get("/{id}/charges", summary="A job's optional charges", responses=refusals(404, 422))
async def get_charges(read: Read, chain: Chain, id: AddressText) -> JobCharges:
    """The meter of a job, with every report, dispute and payment."""
    return await read(_charges, chain.now(), id)


def _charges(connection: Connection, now: int, id: str) -> JobCharges:
    row = connection.execute(METER, {"job": id}).mappings().first()
    if row is None:
        message = f"Job {id} has no meter."
        raise ApiError(404, "meter_not_found", message, "Only jobs rented with a cap on charges have one.")
    meter = Meter(**{name: row[name] for name in Meter.model_fields})
    decimals = row["decimals"]
    return job_charges(
        meter,
        job=meter.rental,
        address=meter.address,
        decimals=decimals,
        dispute_by=meter.dispute_by,
        resolve_by=meter.resolve_by,
        now=now,
        charges=ListingCharges.drawn_from(meter),
        refunded=None if meter.closed_at is None else meter.refunded,
        kept=None if meter.closed_at is None else meter.kept,
        closed_at=meter.closed_at,
        history=tuple(
            ChargeEntry.known(**entry) for entry in connection.execute(ENTRIES, {"meter": meter.address}).mappings()
        ),
    )
