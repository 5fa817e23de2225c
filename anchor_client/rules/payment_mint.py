"""Price at which the program takes a payment mint: twin of `programs/gpu_market/src/state/payment_mint.rs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from solders.pubkey import Pubkey

from anchor_client.errors import refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated.types import OracleKind

if TYPE_CHECKING:
    from anchor_client.generated.accounts import PaymentMint


@dataclass(frozen=True, slots=True)
class FreshPrice:
    """Pico-USD per whole token, and the account with the price update that an order must bring, if any."""

    pico_usd: int
    feed: Pubkey | None


def own_price(mint: PaymentMint, now: int) -> int:
    """The price in the mint's own account. Raises what the program would refuse it for."""
    if mint.enabled == 0:
        raise refusal(refusals.MintDisabled.code)
    if mint.price == 0:
        raise refusal(refusals.PriceMissing.code)
    age = max(0, now - mint.price_at)
    if mint.oracle_kind != OracleKind.PINNED and age > mint.max_age:
        raise refusal(refusals.PriceStale.code, f"it is {age} s old; the maximum is {mint.max_age} s")
    return mint.price
