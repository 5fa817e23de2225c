"""/api/jobs/{id}/charges: what a job's traffic and storage cost beyond its price, and the renter's answer to it."""

from __future__ import annotations

from fastapi import APIRouter
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from sqlalchemy import Connection, bindparam, select

from anchor_client.generated.instructions import accept_usage, dispute_usage
from anchor_client.market import Market
from anchor_client.resources.charges import ChargeEntry, JobCharges, ListingCharges, job_charges
from indexer.api.deps import Chain, MarketClient, Read
from indexer.api.errors import ApiError, refusals
from indexer.api.routes.orders import Unsigned, unsigned
from indexer.api.words import AddressText
from indexer.models import Meter, MeterEntry, PaymentMint

router = APIRouter(prefix="/api/jobs", tags=["jobs"])

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
        raise ApiError(404, "meter_not_found", message, "Only a job rented with a cap on charges has one.")
    meter, decimals = Meter(**{name: row[name] for name in Meter.model_fields}), row["decimals"]
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
        closed_at=meter.closed_at,
        history=tuple(
            ChargeEntry.known(**entry) for entry in connection.execute(ENTRIES, {"meter": meter.address}).mappings()
        ),
    )


@router.post("/{id}/charges/dispute", summary="A dispute to sign", responses=refusals(404, 409, 422, 429, 502, 503))
async def dispute_charges(id: AddressText, market: MarketClient) -> Unsigned:
    """Freezes the usage that is pending. The job's renter signs."""
    job = Pubkey.from_string(id)
    meter = await market.charges.get(job)
    act = dispute_usage(meter=market.charges.address_of(job), meter_data=meter, program_id=market.program_id)
    return await _answer(market, act, meter.renter, job)


@router.post("/{id}/charges/accept", summary="An acceptance to sign", responses=refusals(404, 409, 422, 429, 502, 503))
async def accept_charges(id: AddressText, market: MarketClient) -> Unsigned:
    """Agrees to all usage that has been reported. The job's renter signs."""
    job = Pubkey.from_string(id)
    meter = await market.charges.get(job)
    act = accept_usage(meter=market.charges.address_of(job), meter_data=meter, program_id=market.program_id)
    return await _answer(market, act, meter.renter, job)


async def _answer(market: Market, act: Instruction, renter: Pubkey, job: Pubkey) -> Unsigned:
    return Unsigned(**unsigned(await market.session.sender.unsigned([act], renter), job))
