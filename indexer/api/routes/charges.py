"""/api/jobs/{id}/charges: what a job's traffic and storage cost besides its price, and the renter's answer to it."""

from __future__ import annotations

from fastapi import APIRouter
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from sqlalchemy import Connection, select

from anchor_client.generated.instructions import accept_usage, dispute_usage
from anchor_client.market import Market
from indexer.api.charges import JobCharges, job_charges
from indexer.api.deps import Chain, MarketClient, Read
from indexer.api.errors import ApiError, refusals
from indexer.api.routes.orders import Unsigned, unsigned
from indexer.api.values import AddressText
from indexer.models import Meter, MeterEntry, PaymentMint
from indexer.status import Status

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.get("/{id}/charges", summary="A job's optional charges", responses=refusals(404, 422))
async def get_charges(read: Read, chain: Chain, id: AddressText) -> JobCharges:
    """The meter of a job, with every report, dispute and payment."""
    return await read(_charges, chain, id)


def _charges(connection: Connection, chain: Status, id: str) -> JobCharges:
    row = connection.execute(select(Meter.table).where(Meter.c.rental == id)).mappings().first()
    if row is None:
        message = f"Job {id} has no meter."
        raise ApiError(404, "meter_not_found", message, "Only a job rented with a cap on charges has one.")
    meter = Meter(**row)
    entries = select(MeterEntry.table).where(MeterEntry.c.meter == meter.address).order_by(MeterEntry.c.seq)
    history = [MeterEntry(**entry) for entry in connection.execute(entries).mappings()]
    decimals = connection.scalars(select(PaymentMint.c.decimals).where(PaymentMint.c.mint == meter.mint)).one()
    return job_charges(meter, history, decimals, chain.now())


@router.post("/{id}/charges/dispute", summary="A dispute to sign", responses=refusals(404, 409, 422, 502, 503))
async def dispute_charges(id: AddressText, market: MarketClient) -> Unsigned:
    """Freezes the usage that is pending. The job's renter signs."""
    job = Pubkey.from_string(id)
    meter = await market.charges.get(job)
    act = dispute_usage(meter=market.charges.address_of(job), meter_data=meter, program_id=market.program_id)
    return await _answer(market, act, meter.renter, job)


@router.post("/{id}/charges/accept", summary="An acceptance to sign", responses=refusals(404, 409, 422, 502, 503))
async def accept_charges(id: AddressText, market: MarketClient) -> Unsigned:
    """Agrees to all usage that has been reported. The job's renter signs."""
    job = Pubkey.from_string(id)
    meter = await market.charges.get(job)
    act = accept_usage(meter=market.charges.address_of(job), meter_data=meter, program_id=market.program_id)
    return await _answer(market, act, meter.renter, job)


async def _answer(market: Market, act: Instruction, renter: Pubkey, job: Pubkey) -> Unsigned:
    return Unsigned(**unsigned(await market.session.sender.unsigned([act], renter), job))
