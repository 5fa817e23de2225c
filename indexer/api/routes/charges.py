"""GET /api/jobs/{id}/charges: what a job's traffic and storage cost besides its price."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import select

from indexer.api.charges import JobCharges, job_charges
from indexer.api.deps import Chain, Database
from indexer.api.errors import ApiError, refusals
from indexer.api.values import AddressText
from indexer.models import Meter, MeterEntry
from indexer.queries import payment_mints

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.get("/{id}/charges", summary="A job's optional charges", responses=refusals(404, 422))
def get_charges(database: Database, chain: Chain, id: AddressText) -> JobCharges:
    """The meter of a job, with every report, dispute and payment."""
    with database.connect() as connection:
        row = connection.execute(select(Meter.__table__).where(Meter.rental == id)).mappings().first()
        if row is None:
            message = f"Job {id} has no meter."
            raise ApiError(404, "meter_not_found", message, "Only a job rented with a cap on charges has one.")
        meter = Meter(**row)
        entries = select(MeterEntry.__table__).where(MeterEntry.meter == meter.address).order_by(MeterEntry.seq)
        history = [MeterEntry(**entry) for entry in connection.execute(entries).mappings()]
        decimals = payment_mints(connection)[meter.mint].decimals
    return job_charges(meter, history, decimals, chain.now())
