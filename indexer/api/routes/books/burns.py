"""GET /api/burns: every burn of the market token, from ended rentals and divided fees."""

from __future__ import annotations

from pydantic import BaseModel
from sqlalchemy import Connection, RowMapping, desc, literal, select

from anchor_client.resources.base import Address, BaseUnits, Resource, Tx, about
from indexer.api.deps import CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import FeeSweep, Rental

router = StrictRouter(prefix="/api/burns", tags=["market"])


class Burn(Resource):
    """A burn, in base units of the market token."""

    ts: int
    source: Address = about(description="The job that ended, or the vault whose fees were divided.")
    seq: int = about(description="The event of the vault; 0 for a job, which burns once.")
    amount: BaseUnits
    tx: Tx


class BurnPage(BaseModel):
    """A page of burns and the next cursor."""

    burns: list[Burn]
    next_cursor: NextCursor


OF_JOBS = select(
    Rental.c.ended_at.label("ts"),
    Rental.c.address.label("source"),
    literal(0).label("seq"),
    Rental.c.burned.label("amount"),
    Rental.c.close_tx.label("tx"),
).where(Rental.c.ended_at.is_not(None), Rental.c.burned > 0)
OF_FEES = select(
    FeeSweep.c.ts,
    FeeSweep.c.vault.label("source"),
    FeeSweep.c.seq,
    FeeSweep.c.burned.label("amount"),
    FeeSweep.c.tx,
).where(FeeSweep.c.burned > 0)
PAGES = tuple(Pages(burns, {}, descending=True, numbered=True) for burns in (OF_JOBS, OF_FEES))
SINGLE = (
    (OF_JOBS, Rental.c.address),
    (OF_FEES, FeeSweep.c.vault),
)


@router.get("", summary="Burns, newest first", responses=refusals(400, 422))
async def list_burns(read: Read, limit: Limit = 50, cursor: CursorText = None) -> BurnPage:
    """A page of burns."""
    return await read(_page, limit, cursor)


@router.get("/{source}", summary="The burns of one job or vault, newest first", responses=refusals(404, 422))
async def get_burns(read: Read, source: AddressText) -> BurnPage:
    """Burns of one source: a job's at its end, or the last 200 of a vault's fees."""
    return await read(_of, source)


def _page(connection: Connection, limit: int, cursor: str | None) -> BurnPage:
    found = [row for pages in PAGES for row in pages.read(connection, {}, limit=limit + 1, cursor=cursor)[0]]
    found.sort(key=lambda row: (row.ts, row.source, row.seq), reverse=True)
    following = PAGES[0].behind(found[limit - 1]) if len(found) > limit else None
    return BurnPage(burns=[_burn(row._mapping) for row in found[:limit]], next_cursor=following)


def _of(connection: Connection, source: str) -> BurnPage:
    for burns, address in SINGLE:
        rows = connection.execute(burns.where(address == source).order_by(desc("ts")).limit(200)).mappings()
        if found := [_burn(row) for row in rows]:
            return BurnPage(burns=found, next_cursor=None)
    raise missing("burn", source)


def _burn(row: RowMapping) -> Burn:
    return Burn.known(**row)
