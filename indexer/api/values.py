"""How amounts, prices and names look in answers and queries."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field
from solders.pubkey import Pubkey

from anchor_client.amounts import exact_usd
from anchor_client.generated.accounts import Market
from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.generated.types import RentalKind
from anchor_client.rules.math import base_units_to_usd_floor
from anchor_client.rules.order import quote_ceil
from indexer.queries import MarketToken

BaseUnits = Annotated[
    str, Field(pattern=r"^\d+$", description="Base units, exact.", examples=["1250000"]), BeforeValidator(str)
]


def _address(text: str) -> str:
    try:
        return str(Pubkey.from_string(text))
    except ValueError as error:
        raise ValueError("not a base58 address of 32 bytes") from error


AddressText = Annotated[
    str,
    BeforeValidator(_address),
    Field(description="A base58 address.", examples=["So11111111111111111111111111111111111111112"]),
]


class UsdRate(BaseModel):
    """A price in US dollars."""

    usd_per_hour: str = Field(description="Exact, six decimals.", examples=["2.760000"])
    micro_usd_per_hour: int = Field(examples=[2_760_000])


class TokenRate(BaseModel):
    """What the renter pays in a token, fees, subsidy and burn included."""

    mint: str
    decimals: int
    base_units_per_hour: BaseUnits
    burned_per_hour: BaseUnits
    subsidy_per_hour: BaseUnits
    usd_per_hour: str = Field(description="Worth of it at the token's price, rounded down.", examples=["0.607200"])
    micro_usd_per_hour: int


def usd_rate(micro_usd: int) -> UsdRate:
    """A rate in dollars."""
    return UsdRate(usd_per_hour=exact_usd(micro_usd), micro_usd_per_hour=micro_usd)


def token_rate(micro_usd: int, market: Market | None, mint: MarketToken | None) -> TokenRate | None:
    """The rate in `mint` of what costs `micro_usd` an hour on demand; None while the price is not known."""
    if market is None or mint is None or mint.price == 0:
        return None
    rates = quote_ceil(micro_usd, RentalKind.ON_DEMAND, SECONDS_PER_HOUR, market, mint).rates
    worth = base_units_to_usd_floor(rates.rate, mint.price, mint.decimals)
    return TokenRate(
        mint=mint.mint,
        decimals=mint.decimals,
        base_units_per_hour=str(rates.rate),
        burned_per_hour=str(rates.burn),
        subsidy_per_hour=str(rates.subsidy),
        usd_per_hour=exact_usd(worth),
        micro_usd_per_hour=worth,
    )


def mean_rating(total: int, weight: int) -> str | None:
    """Mean of ratings from their sum and weights, two decimals, rounded down; None without ratings."""
    if weight == 0:
        return None
    hundredths = total * 100 // weight
    return f"{hundredths // 100}.{hundredths % 100:02d}"
