"""A mint that orders may be paid in."""

from __future__ import annotations

from typing import Any

from anchor_client.generated.types import OracleKind
from anchor_client.resources.base import Address, BaseUnits, Resource, about


class PaymentToken(Resource):
    """A mint that orders may be paid in, and its terms for new orders."""

    mint: Address
    token: str | None = about(default=None, description="The mint's symbol, where it is configured.")
    decimals: int
    enabled: bool = about(description="Whether new orders may be paid in it.")
    freezable: bool = about(
        description="Whether its issuer may freeze accounts that hold it: what is frozen is owed until it is thawed."
    )
    oracle: str = about(description="Who says what it is worth: pinned by the market, posted, or pyth.")
    price: BaseUnits | None = about(
        description="Pico-USD per whole token; null until known, and where orders bring Pyth's."
    )
    price_at: int | None
    subsidy_bps: int = about(description="What the market adds of an order's price.")
    burn_bps: int = about(description="What is burned of all that the renter pays.")
    extra_fee_bps: int = about(description="What the host pays besides the fee, unless it has locked tokens.")


def payment_token(mint: Any, *, oracle: OracleKind, token: str | None = None) -> PaymentToken:
    """The token of a payment mint's account or of its row in the index, which name their fields alike."""
    return PaymentToken.drawn_from(
        mint,
        token=token,
        enabled=bool(mint.enabled),
        freezable=bool(mint.freezable),
        oracle=oracle.name.lower(),
        price=mint.price or None,
        price_at=mint.price_at or None,
    )
