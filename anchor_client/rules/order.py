"""Cost of an order: twin of `programs/gpu_market/src/instructions/rental/order.rs`.

Amounts are base units of the payment mint, rates base units per hour, `usd` micro-USD.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.generated.types import RentalKind
from anchor_client.rules.host import extra_fee_bps_ceil
from anchor_client.rules.math import U64_MAX, accrued_ceil, accrued_floor, share_floor, usd_to_base_units_ceil
from anchor_client.rules.rental import Fees, Rates
from anchor_client.rules.stake_account import holding_discount_bps_floor, spread_discount_bps_floor
from anchor_client.rules.subsidy import Cover, spread_floor, subsidy_floor

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Host, Listing, Market, PaymentMint

MINUTE = 60


class MintPricing(Protocol):
    """A payment mint's price and the market's terms for it."""

    @property
    def price(self) -> int: ...
    @property
    def decimals(self) -> int: ...
    @property
    def extra_fee_bps(self) -> int: ...
    @property
    def subsidy_bps(self) -> int: ...
    @property
    def burn_bps(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Quote:
    """Cost of an order of `duration` seconds: the renter escrows `deposit`, the subsidy pool adds `subsidy`."""

    kind: RentalKind
    duration: int
    usd_per_hour: int
    rates: Rates
    deposit: int
    subsidy: int
    compensation: int = 0
    """Of `deposit`, what an order that waits pays the machine's holder if it displaces them or is withdrawn."""

    def waiting(self, min_charge_seconds: int) -> Quote:
        """The same for an order that waits for the machine: it escrows a compensation too, without a subsidy, rounded
        up."""
        compensation = accrued_ceil(self.rates.rate + self.rates.subsidy, min_charge_seconds)
        return replace(self, deposit=self.deposit + compensation, compensation=compensation)

    @property
    def usd_floor(self) -> int:
        """Micro-USD of machine time, before fees and subsidy: what the order minimum is measured on, rounded down."""
        return accrued_floor(self.usd_per_hour, self.duration)

    @property
    def burn_floor(self) -> int:
        """Base units burned when it runs to its end, rounded down."""
        return accrued_floor(self.rates.burn, self.duration)


def hourly_usd(on_demand_usd: int, kind: RentalKind, reserved_discount_bps: int) -> int:
    """Micro-USD per machine-hour for a kind of rental; the reserved discount is rounded down."""
    if kind is RentalKind.RESERVED:
        return on_demand_usd - share_floor(on_demand_usd, reserved_discount_bps)
    return on_demand_usd


@dataclass(frozen=True, slots=True)
class OrderStanding:
    """Standing of the two sides of an order: discounts by stake, and the host's extra fee after its lock.

    With `host_extra_fee_bps` None the mint's extra fee applies in full.
    """

    renter_discount_bps: int = 0
    host_discount_bps: int = 0
    host_extra_fee_bps: int | None = None


def standing_of(
    market: Market, mint: PaymentMint, host: Host, listing: Listing, *, renter_stake: int, host_stake: int
) -> OrderStanding:
    """Standing of both sides of an order on a listing in a mint, by their active stakes (base units) and the host's
    lock."""
    return OrderStanding(
        holding_discount_bps_floor(renter_stake, market.market_decimals),
        holding_discount_bps_floor(host_stake, market.market_decimals),
        extra_fee_bps_ceil(
            mint.extra_fee_bps,
            points=host.points if listing.points else 0,
            mfp_locked=host.mfp_locked,
            mfp_per_point=market.mfp_per_point,
        ),
    )


def enough_seconds(market: Market, usd_per_hour: int) -> int:
    """Seconds, whole minutes, for which a machine at this price reaches the market's minimum order."""
    return -(-market.order_min_usd * SECONDS_PER_HOUR // (usd_per_hour * MINUTE)) * MINUTE


def fee_bps(kind: RentalKind, market: Market) -> int:
    """Both halves of the fee on a kind of rental, in basis points."""
    match kind:
        case RentalKind.RESERVED:
            return market.reserved_fee_bps
        case RentalKind.SPOT:
            return market.spot_fee_bps
        case _:
            return market.on_demand_fee_bps


def quote_ceil(
    on_demand_usd: int,
    kind: RentalKind,
    duration: int,
    market: Market,
    mint: MintPricing,
    standing: OrderStanding = OrderStanding(),
    *,
    cover: Cover,
) -> Quote:
    """Cost of a machine at `on_demand_usd` for `duration` seconds in this mint; deposit and subsidy rounded up.

    For a spot order `on_demand_usd` is the bid. `cover` bounds the subsidy.
    """
    usd = hourly_usd(on_demand_usd, kind, market.reserved_discount_bps)
    price = usd_to_base_units_ceil(usd, mint.price, mint.decimals)
    extra = standing.host_extra_fee_bps
    fees = Fees(
        fee_bps(kind, market),
        mint.extra_fee_bps if extra is None else extra,
        spread_discount_bps_floor(standing.renter_discount_bps, duration, market),
        spread_discount_bps_floor(standing.host_discount_bps, duration, market),
    )
    granted = subsidy_floor(mint.subsidy_bps, cover.reference_usd, usd, price)
    subsidy_rate = spread_floor(granted, duration, market, cover.left)
    rates = Rates.at(price, fees, subsidy=subsidy_rate, burn_bps=mint.burn_bps)
    deposit = accrued_ceil(rates.rate, duration)
    subsidy = accrued_ceil(rates.subsidy, duration)
    return Quote(kind, duration, usd, rates, deposit, subsidy)


def quote_at_ceil(usd: int, kind: RentalKind, duration: int, market: Market, mint: MintPricing) -> Quote:
    """Cost of `duration` seconds at `usd` micro-USD an hour, any discount already taken off, for a renter without stake
    and with the most subsidy that any machine may have.

    Hosts' extra fees are left out: they change nothing for the renter. Deposit and subsidy are rounded up.
    """
    price = usd_to_base_units_ceil(usd, mint.price, mint.decimals)
    subsidy_rate = spread_floor(share_floor(price, mint.subsidy_bps), duration, market, U64_MAX)
    rates = Rates.at(price, Fees(fee_bps(kind, market)), subsidy=subsidy_rate, burn_bps=mint.burn_bps)
    deposit = accrued_ceil(rates.rate, duration)
    subsidy = accrued_ceil(rates.subsidy, duration)
    return Quote(kind, duration, usd, rates, deposit, subsidy)
