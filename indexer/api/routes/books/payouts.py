"""GET /api/payouts and /api/payouts/{job}/{seq}: payments to hosts for rentals, during them or at their end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel
from sqlalchemy import Connection, and_, bindparam, select

from anchor_client.resources.base import Address, BaseUnits, Resource, Tx, about
from indexer.api.deps import CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import PaymentMint, Rental, Settlement

router = StrictRouter(prefix="/api/payouts", tags=["market"])


class Payout(Resource):
    """A payment to a host, in base units of `mint`."""

    ts: int
    job: Address
    seq: int = about(description="Number of the job's event.")
    host: Address = about(description="The host's account.")
    mint: Address
    decimals: int
    amount: BaseUnits
    seconds: int = about(description="Seconds of the job that it pays for.")
    tx: Tx


class PayoutPage(BaseModel):
    """A page of payouts and the next cursor."""

    payouts: list[Payout]
    next_cursor: NextCursor


PAYOUTS = select(
    Settlement.c.ts,
    Settlement.c.rental.label("job"),
    *(Settlement.c[name] for name in ("seq", "host", "mint", "amount", "seconds", "tx")),
    PaymentMint.c.decimals,
).join(PaymentMint.table, PaymentMint.c.mint == Settlement.c.mint)
OPENED = select(Rental.c.created_at).where(Rental.c.address == bindparam("job")).scalar_subquery()
OF_JOB = and_(Settlement.c.since == OPENED, Settlement.c.rental == bindparam("job"))
"""Payments are kept in the order in which their jobs were opened."""
PAGES = Pages(
    PAYOUTS,
    {
        "job": OF_JOB,
        "host": Settlement.c.host == bindparam("host"),
        "mint": Settlement.c.mint == bindparam("mint"),
    },
    descending=True,
    numbered=True,
)
PAYOUT = PAYOUTS.where(OF_JOB, Settlement.c.seq == bindparam("seq"))


@router.get("", summary="Payouts to hosts, newest first", responses=refusals(400, 422))
async def list_payouts(
    read: Read,
    job: Annotated[AddressText | None, Query(description="Only for this job.")] = None,
    host: Annotated[AddressText | None, Query(description="Only to this host, by its account.")] = None,
    mint: Annotated[AddressText | None, Query(description="Only in this mint.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> PayoutPage:
    """A page of payouts."""
    return await read(_page, {"job": job, "host": host, "mint": mint}, limit, cursor)


@router.get("/{job}/{seq}", summary="One payout", responses=refusals(404, 422))
async def get_payout(read: Read, job: AddressText, seq: Annotated[int, Path(ge=0, lt=2**63)]) -> Payout:
    """One payout, by the number of the job's event."""
    return await read(_one, job, seq)


def _page(connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None) -> PayoutPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return PayoutPage(payouts=[Payout.known(**row._mapping) for row in rows], next_cursor=following)


def _one(connection: Connection, job: str, seq: int) -> Payout:
    row = connection.execute(PAYOUT, {"job": job, "seq": seq}).mappings().first()
    if row is None:
        raise missing("payout", f"{job}/{seq}")
    return Payout.known(**row)
