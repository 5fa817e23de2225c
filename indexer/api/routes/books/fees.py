"""GET /api/fees and /api/fees/{vault}/{seq}: the division of vaults' fees between burn, treasury and stakers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, select

from anchor_client.resources.base import Address, BaseUnits, Resource, Tx, about
from indexer.api.deps import CursorText, Limit, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.pages import NextCursor, Pages
from indexer.api.words import AddressText
from indexer.models import FeeSweep, PaymentMint, Vault

router = StrictRouter(prefix="/api/fees", tags=["market"])


class Fee(Resource):
    """A division of a vault's fees, in base units of `mint`."""

    ts: int
    vault: Address
    seq: int = about(description="Number of the vault's event.")
    mint: Address
    decimals: int
    burned: BaseUnits
    treasury: BaseUnits
    stakers: BaseUnits
    swept_by: Address
    tx: Tx


class FeePage(BaseModel):
    """A page of divided fees and the next cursor."""

    fees: list[Fee]
    next_cursor: NextCursor


FEES = (
    select(
        *(FeeSweep.c[name] for name in ("ts", "vault", "seq", "burned", "treasury", "stakers", "swept_by", "tx")),
        Vault.c.mint,
        PaymentMint.c.decimals,
    )
    .join(Vault.table, Vault.c.address == FeeSweep.c.vault)
    .join(PaymentMint.table, PaymentMint.c.mint == Vault.c.mint)
)
PAGES = Pages(
    FEES,
    {"vault": FeeSweep.c.vault == bindparam("vault"), "mint": Vault.c.mint == bindparam("mint")},
    descending=True,
    numbered=True,
)
FEE = FEES.where(FeeSweep.c.vault == bindparam("vault"), FeeSweep.c.seq == bindparam("seq"))


@router.get("", summary="Divided fees, newest first", responses=refusals(400, 422))
async def list_fees(
    read: Read,
    vault: Annotated[AddressText | None, Query(description="Only of this vault.")] = None,
    mint: Annotated[AddressText | None, Query(description="Only in this mint.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> FeePage:
    """A page of fees."""
    return await read(_page, {"vault": vault, "mint": mint}, limit, cursor)


@router.get("/{vault}/{seq}", summary="One division of fees", responses=refusals(404, 422))
async def get_fee(read: Read, vault: AddressText, seq: Annotated[int, Path(ge=0, lt=2**63)]) -> Fee:
    """One division of fees, by the number of the vault's event."""
    return await read(_one, vault, seq)


def _page(connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None) -> FeePage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return FeePage(fees=[Fee.known(**row._mapping) for row in rows], next_cursor=following)


def _one(connection: Connection, vault: str, seq: int) -> Fee:
    row = connection.execute(FEE, {"vault": vault, "seq": seq}).mappings().first()
    if row is None:
        raise missing("fee", f"{vault}/{seq}")
    return Fee.known(**row)
