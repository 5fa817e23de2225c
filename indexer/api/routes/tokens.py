"""GET /api/tokens: what orders can be paid in."""

from __future__ import annotations

from pydantic import BaseModel
from sqlalchemy import Connection, select

from anchor_client.generated.types import OracleKind
from anchor_client.resources.payment_token import PaymentToken, payment_token
from indexer.api.deps import Read
from indexer.api.strict import StrictRouter
from indexer.models import PaymentMint

router = StrictRouter(prefix="/api/tokens", tags=["market"])

MINTS = select(PaymentMint.table).order_by(PaymentMint.c.mint)


class Tokens(BaseModel):
    """All of them."""

    tokens: list[PaymentToken]


@router.get("", summary="Tokens that orders can be paid in")
async def list_tokens(read: Read) -> Tokens:
    """Every payment mint with its terms, disabled ones included."""
    return Tokens(tokens=await read(_tokens))


def _tokens(connection: Connection) -> list[PaymentToken]:
    return [payment_token(row, oracle=OracleKind[row.oracle_kind.upper()]) for row in connection.execute(MINTS)]
