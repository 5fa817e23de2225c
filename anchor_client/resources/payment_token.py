"""A payment mint."""

from __future__ import annotations

from typing import Any

from anchor_client.generated.types import OracleKind
from anchor_client.resources.base import Address, BaseUnits, Resource, about


class PaymentToken(Resource):
    """A payment mint and its terms for new orders."""

    mint: Address
    token: str | None = about(default=None, description="The mint's symbol, if configured.")
    decimals: int
    enabled: bool = about(description="True if new orders may be paid in it.")
    freezable: bool = about(
        description="True if its issuer can freeze accounts that hold it: such a payment is owed until it is thawed."
    )
    oracle: str = about(description="Source of its price: pinned by the market, posted, pyth or pyth_upgraded.")
    price: BaseUnits | None = about(
        description="Pico-USD per whole token; null until known, and for Pyth prices, which orders bring."
    )
    price_at: int | None
    subsidy_bps: int = about(description="Share of an order's price that the market adds.")
    burn_bps: int = about(description="Burned share of the renter's payment.")
    extra_fee_bps: int = about(description="The host's extra fee, unless it has locked tokens.")


def payment_token(mint: Any, *, oracle: OracleKind, token: str | None = None) -> PaymentToken:
    """The token of a payment mint's account or of its row in the index, which share field names."""
    return PaymentToken.drawn_from(
        mint,
        token=token,
        enabled=bool(mint.enabled),
        freezable=bool(mint.freezable),
        oracle=oracle.name.lower(),
        price=mint.price or None,
        price_at=mint.price_at or None,
    )
