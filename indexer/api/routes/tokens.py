"""GET /api/tokens: payment tokens."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel
from solders.pubkey import Pubkey
from sqlalchemy import Connection, select

from anchor_client.generated.types import OracleKind
from anchor_client.payment_tokens import PaymentTokens
from anchor_client.resources.payment_token import PaymentToken, payment_token
from anchor_client.symbols import MARKET_TOKEN
from indexer.api.deps import ApiSettings, Read
from indexer.api.http.strict import StrictRouter
from indexer.models import Market, PaymentMint

router = StrictRouter(prefix="/api/tokens", tags=["market"])

MINTS = select(PaymentMint.table).order_by(PaymentMint.c.mint)


class PaymentTokenList(BaseModel):
    """All of them."""

    tokens: list[PaymentToken]


@router.get("", summary="Payment tokens")
async def list_tokens(read: Read, settings: ApiSettings) -> PaymentTokenList:
    """Every payment mint with its terms, disabled ones included."""
    return PaymentTokenList(tokens=await read(_tokens, settings.mints))


def _tokens(connection: Connection, mints: Mapping[str, Pubkey]) -> list[PaymentToken]:
    symbols = PaymentTokens(mints)
    market_mint = connection.execute(select(Market.c.market_mint)).scalar()
    if market_mint is not None:
        symbols = symbols.with_token(MARKET_TOKEN, Pubkey.from_string(market_mint))
    named = {str(mint): symbol for symbol, mint in symbols}
    return [
        payment_token(row, oracle=OracleKind[row.oracle_kind.upper()], token=named.get(row.mint))
        for row in connection.execute(MINTS)
    ]
