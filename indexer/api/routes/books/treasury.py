"""GET /api/treasury: the income of the market's treasury."""

from __future__ import annotations

from collections import defaultdict

from pydantic import BaseModel
from sqlalchemy import Connection, select

from anchor_client.resources.base import Address, BaseUnits, Resource, about
from indexer.api.deps import Read
from indexer.api.errors import missing
from indexer.api.http.strict import StrictRouter
from indexer.models import Market, PaymentMint, Vault

router = StrictRouter(prefix="/api/treasury", tags=["market"])


class TreasuryMint(Resource):
    """The treasury's share in one mint, over all vaults."""

    mint: Address
    decimals: int
    paid: BaseUnits = about(description="Total of fees paid to it.")
    waiting: BaseUnits = about(description="Its part of divided fees that its token account could not take yet.")
    fees_due: BaseUnits = about(description="Undivided fees, of which the treasury will get a part.")


class Treasury(BaseModel):
    """The treasury; /api/fees lists each division of fees."""

    treasury: str
    mints: list[TreasuryMint]


VAULTS = (
    select(PaymentMint.c.mint, PaymentMint.c.decimals, Vault.c.total_swept, Vault.c.treasury_due, Vault.c.fees_due)
    .join(Vault.table, Vault.c.mint == PaymentMint.c.mint)
    .order_by(PaymentMint.c.mint)
)


@router.get("", summary="The treasury and its income")
async def get_treasury(read: Read) -> Treasury:
    """The treasury's wallet, and its income by mint."""
    return await read(_treasury)


def _treasury(connection: Connection) -> Treasury:
    treasury = connection.execute(select(Market.c.treasury)).scalar()
    if treasury is None:
        raise missing("market", "here")
    sums: defaultdict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for mint, decimals, *amounts in connection.execute(VAULTS):
        sums[mint, decimals] = [total + amount for total, amount in zip(sums[mint, decimals], amounts, strict=True)]
    mints = [
        TreasuryMint.known(mint=mint, decimals=decimals, paid=paid, waiting=waiting, fees_due=due)
        for (mint, decimals), (paid, waiting, due) in sums.items()
    ]
    return Treasury(treasury=treasury, mints=mints)
