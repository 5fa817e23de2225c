"""The program's arithmetic, exact to the base unit, so that a price is known before anything is sent.

Twin of `programs/gpu_market/src/math.rs` and `state/rental.rs`: integers only, the rounding direction in the name,
MathOverflow (as a program refusal) where the program would refuse. Amounts are base units of the payment mint, rates
base units per hour, `usd` micro-USD, prices of tokens pico-USD per whole token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from anchor_client.errors import refusal
from anchor_client.generated.constants import (
    BPS,
    HOLDING_TOKENS,
    MAX_HOLDING_DISCOUNT_BPS,
    PICO_PER_MICRO,
    SECONDS_PER_HOUR,
)
from anchor_client.generated.errors import MathOverflow
from anchor_client.generated.types import CloseReason, RentalKind

U64_MAX: Final = 2**64 - 1
RESERVED_TERMS: Final = (604_800, 2_592_000, 7_776_000)
"""Seconds a reserved rental may run: 7, 30 and 90 days."""

HOST_FAULTS: Final = frozenset(
    {
        CloseReason.PROVISION_TIMEOUT,
        CloseReason.HOST_OFFLINE,
        CloseReason.HOST_FAULT,
        CloseReason.HOST_MAINTENANCE,
        CloseReason.ORDER_REFUSED,
    }
)
"""Reasons for which the holdback goes to the renter."""


def mul_div_floor(value: int, numerator: int, denominator: int) -> int:
    """`value * numerator / denominator`, rounded down."""
    if denominator == 0:
        raise refusal(MathOverflow.code)
    return _u64(value * numerator // denominator)


def mul_div_ceil(value: int, numerator: int, denominator: int) -> int:
    """`value * numerator / denominator`, rounded up."""
    if denominator == 0:
        raise refusal(MathOverflow.code)
    return _u64(-(-value * numerator // denominator))


def share_floor(value: int, bps: int) -> int:
    """`bps` of `value`, rounded down."""
    return mul_div_floor(value, bps, BPS)


def share_ceil(value: int, bps: int) -> int:
    """`bps` of `value`, rounded up."""
    return mul_div_ceil(value, bps, BPS)


def accrued_floor(rate: int, seconds: int) -> int:
    """What `rate` per hour comes to in `seconds`, rounded down."""
    return mul_div_floor(rate, seconds, SECONDS_PER_HOUR)


def accrued_ceil(rate: int, seconds: int) -> int:
    """What `rate` per hour comes to in `seconds`, rounded up."""
    return mul_div_ceil(rate, seconds, SECONDS_PER_HOUR)


def usd_to_base_units_ceil(usd: int, price: int, decimals: int) -> int:
    """Base units worth `usd` micro-USD at `price` pico-USD per whole token, rounded up."""
    return mul_div_ceil(usd * PICO_PER_MICRO, 10**decimals, price)


def base_units_to_usd_floor(amount: int, price: int, decimals: int) -> int:
    """Micro-USD that `amount` base units are worth at `price` pico-USD per whole token, rounded down."""
    return mul_div_floor(amount, price, PICO_PER_MICRO * 10**decimals)


@dataclass(frozen=True, slots=True)
class Fees:
    """What the market takes from an order, in basis points of the price.

    Half of `bps` comes on top of it, half (and `extra_bps`) out of the host's payout. Each half falls by a discount.
    """

    bps: int
    extra_bps: int = 0
    renter_discount_bps: int = 0
    host_discount_bps: int = 0

    def of_renter_ceil(self, price: int) -> int:
        """The renter's fee on `price`, rounded up."""
        return _discounted_ceil(price, self.bps // 2, self.renter_discount_bps)

    def of_host_ceil(self, price: int) -> int:
        """The host's fee on `price`, rounded up."""
        half = self.bps - self.bps // 2
        return _discounted_ceil(price, half, self.host_discount_bps, self.extra_bps)


def _discounted_ceil(price: int, bps: int, discount_bps: int, extra_bps: int = 0) -> int:
    return mul_div_ceil(price, bps * (BPS - discount_bps) + extra_bps * BPS, BPS * BPS)


def holding_discount_bps_floor(stake: int, decimals: int) -> int:
    """What Proof of Holding takes off a fee: linear in the active stake up to half at two million tokens."""
    whole = HOLDING_TOKENS * 10**decimals
    return mul_div_floor(min(stake, whole), MAX_HOLDING_DISCOUNT_BPS, whole)


def extra_fee_bps_ceil(extra_fee_bps: int, *, points: int, mfp_locked: int, mfp_per_point: int) -> int:
    """A host's extra fee on other mints: it falls linearly with the tokens locked per GPU point, rounded up."""
    required = points * mfp_per_point
    if extra_fee_bps == 0 or points == 0:
        return extra_fee_bps
    missing = max(required - mfp_locked, 0)
    return mul_div_ceil(extra_fee_bps, missing, required) if missing else 0


@dataclass(frozen=True, slots=True)
class Rates:
    """Per-hour rates of an order: `rate + subsidy = host + fee + burn`."""

    rate: int
    """What the renter pays, fees and burn included."""
    subsidy: int
    burn: int
    fee: int

    @property
    def host(self) -> int:
        """What the host earns."""
        return self.rate + self.subsidy - self.burn - self.fee

    @classmethod
    def at(cls, price: int, fees: Fees, *, subsidy_bps: int, burn_bps: int) -> Rates:
        """Rates at a market price of `price` base units per hour; `burn_bps` of all that the renter pays is burned."""
        renter_fee, host_fee = fees.of_renter_ceil(price), fees.of_host_ceil(price)
        subsidy = share_floor(price, subsidy_bps)
        unburned = _u64(price + renter_fee - subsidy)
        rate = mul_div_ceil(unburned, BPS, BPS - burn_bps)
        return cls(rate=rate, subsidy=subsidy, burn=rate - unburned, fee=renter_fee + host_fee)


class MarketTerms(Protocol):
    """What a market says about prices."""

    @property
    def on_demand_fee_bps(self) -> int: ...
    @property
    def reserved_fee_bps(self) -> int: ...
    @property
    def spot_fee_bps(self) -> int: ...
    @property
    def reserved_discount_bps(self) -> int: ...


class MintTerms(Protocol):
    """What a payment mint says about prices."""

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
    """What an order of `duration` seconds costs: the renter escrows `deposit`, the subsidy pool adds `subsidy`."""

    kind: RentalKind
    duration: int
    usd_per_hour: int
    market_price: int
    """Base units per hour before fees, subsidy and burn."""
    rates: Rates
    deposit: int
    subsidy: int

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


def least_bid_usd(rate_usd: int, increment_bps: int) -> int:
    """The least spot bid that beats a rental of `rate_usd`: its price and the market's increment, rounded up."""
    return rate_usd + max(share_ceil(rate_usd, increment_bps), 1)


def next_bid_usd(spot_min_usd: int, to_beat: tuple[bool, int] | None, increment_bps: int) -> int | None:
    """The least spot bid that gets a machine, None when none does; `to_beat` says of the rental in the way whether it
    is spot, and its price."""
    if spot_min_usd == 0:
        return None
    if to_beat is None:
        return spot_min_usd
    is_spot, rate_usd = to_beat
    return max(spot_min_usd, least_bid_usd(rate_usd, increment_bps)) if is_spot else None


@dataclass(frozen=True, slots=True)
class Standing:
    """What the two sides of an order hold: discounts by stake, and the host's extra fee after its lock.

    `host_extra_fee_bps` is None for a host that has locked nothing.
    """

    renter_discount_bps: int = 0
    host_discount_bps: int = 0
    host_extra_fee_bps: int | None = None


def fee_bps(kind: RentalKind, market: MarketTerms) -> int:
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
    market: MarketTerms,
    mint: MintTerms,
    standing: Standing = Standing(),
) -> Quote:
    """What a machine at `on_demand_usd` costs for `duration` seconds in this mint; deposit and subsidy rounded up.

    For a spot order `on_demand_usd` is the bid.
    """
    usd = hourly_usd(on_demand_usd, kind, market.reserved_discount_bps)
    price = usd_to_base_units_ceil(usd, mint.price, mint.decimals)
    extra = standing.host_extra_fee_bps
    fees = Fees(
        fee_bps(kind, market),
        mint.extra_fee_bps if extra is None else extra,
        standing.renter_discount_bps,
        standing.host_discount_bps,
    )
    rates = Rates.at(price, fees, subsidy_bps=mint.subsidy_bps, burn_bps=mint.burn_bps)
    deposit, subsidy = accrued_ceil(rates.rate, duration), accrued_ceil(rates.subsidy, duration)
    return Quote(kind, duration, usd, price, rates, deposit, subsidy)


def quote_at_ceil(usd: int, kind: RentalKind, duration: int, market: MarketTerms, mint: MintTerms) -> Quote:
    """What `duration` seconds cost a renter without stake at `usd` micro-USD an hour, any discount already taken off.

    Hosts' extra fees are left out: they change nothing for the renter. Deposit and subsidy are rounded up.
    """
    price = usd_to_base_units_ceil(usd, mint.price, mint.decimals)
    rates = Rates.at(price, Fees(fee_bps(kind, market)), subsidy_bps=mint.subsidy_bps, burn_bps=mint.burn_bps)
    deposit, subsidy = accrued_ceil(rates.rate, duration), accrued_ceil(rates.subsidy, duration)
    return Quote(kind, duration, usd, price, rates, deposit, subsidy)


@dataclass(frozen=True, slots=True)
class Split:
    """How an escrow is divided when its rental ends; `paid` is what the host gets on top of settlements."""

    paid: int
    fees: int
    burned: int
    refunded: int
    subsidy_returned: int


class Escrow(Protocol):
    """What a rental says about its money; the Rental account is one."""

    @property
    def deposit(self) -> int: ...
    @property
    def rate(self) -> int: ...
    @property
    def subsidy_rate(self) -> int: ...
    @property
    def burn_rate(self) -> int: ...
    @property
    def fee_rate(self) -> int: ...
    @property
    def duration(self) -> int: ...
    @property
    def settled(self) -> int: ...
    @property
    def holdback_bps(self) -> int: ...


def earned_floor(rental: Escrow, seconds: int) -> int:
    """What the host earns in `seconds`, holdback included, rounded down."""
    return accrued_floor(rental.rate + rental.subsidy_rate - rental.burn_rate - rental.fee_rate, seconds)


def payable_floor(rental: Escrow, seconds: int) -> int:
    """What the host may be paid for `seconds` while the rental runs: earnings less the holdback, rounded down."""
    return mul_div_floor(earned_floor(rental, seconds), BPS - rental.holdback_bps, BPS)


def escrow_left(rental: Escrow) -> int:
    """Base units of this rental that its vault still holds."""
    return rental.deposit + accrued_ceil(rental.subsidy_rate, rental.duration) - payable_floor(rental, rental.settled)


def split(rental: Escrow, used: int, *, host_at_fault: bool) -> Split:
    """Divides what is left after `used` seconds. When the host is at fault the holdback goes to the renter."""
    spent, subsidy = accrued_ceil(rental.rate, used), accrued_ceil(rental.subsidy_rate, used)
    burned, earned = accrued_floor(rental.burn_rate, used), earned_floor(rental, used)
    payable = payable_floor(rental, used) if host_at_fault else earned
    return Split(
        paid=payable - payable_floor(rental, rental.settled),
        fees=spent + subsidy - burned - earned,
        burned=burned,
        refunded=rental.deposit - spent + earned - payable,
        subsidy_returned=accrued_ceil(rental.subsidy_rate, rental.duration) - subsidy,
    )


def _u64(value: int) -> int:
    if not 0 <= value <= U64_MAX:
        raise refusal(MathOverflow.code)
    return value
