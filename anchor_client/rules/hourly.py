"""Price that is shown of a machine: what an order placed now pays for an hour, by the rule that books orders.

It is that of the shortest order of its kind that can be placed, an hour at least, by a renter without stake.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, Self

from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.generated.errors import MathOverflow
from anchor_client.generated.types import RentalKind
from anchor_client.rules.math import base_units_to_usd_floor
from anchor_client.rules.order import MintPricing, Quote, enough_seconds, hourly_usd, quote_ceil
from anchor_client.rules.rental import RESERVED_TERMS
from anchor_client.rules.subsidy import Cover, DailyShare, SubsidizedMachine, machine_reference_usd, most_pool_left

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solders.pubkey import Pubkey

    from anchor_client.generated.accounts import Market

MOST_QUOTES: Final = 1_000
"""Quotes that are remembered."""
KINDS: Final = (RentalKind.ON_DEMAND, RentalKind.RESERVED, RentalKind.SPOT)
ONE_USD: Final = 10**12
"""Pico-USD."""
MICRO: Final = 6
"""Decimals."""


class PricedMachine(SubsidizedMachine, Protocol):
    """Fields of a listing's account and row that give its prices."""

    @property
    def on_demand_usd(self) -> int: ...
    @property
    def spot_min_usd(self) -> int: ...
    @property
    def mrl_seconds(self) -> int: ...


class PayableMint(MintPricing, Protocol):
    """A payment mint's account or row."""

    @property
    def mint(self) -> Pubkey | str: ...


class NoOrder(StrEnum):
    """Reason why a machine takes no order of a kind for a time."""

    NOT_OFFERED = "not-offered"
    OTHER_TERM = "other-term"
    TOO_SHORT = "too-short"
    TOO_LONG = "too-long"
    NO_PRICE = "no-price"


class KindLeftOut(NamedTuple):
    """A kind that takes no order of a time, and the seconds of the shortest that it takes; None if it takes none."""

    kind: RentalKind
    reason: NoOrder
    shortest: int | None


@dataclass(frozen=True, slots=True)
class Terms:
    """A mint's price and terms as orders are quoted by."""

    price: int
    decimals: int
    extra_fee_bps: int
    subsidy_bps: int
    burn_bps: int


@dataclass(frozen=True, slots=True)
class PayableToken:
    """A mint that orders are paid in, and what may still leave its vaults' pools today."""

    mint: Pubkey | str
    decimals: int
    terms: Terms
    """Terms of a token whose base unit is a micro-USD, if the price is unknown."""
    pool_left: int
    """The most that one vault may give an order."""
    is_priced: bool

    @classmethod
    def of(cls, mint: PayableMint, price: int, pool_left: int) -> Self | None:
        """A mint at `price` pico-USD per whole token, zero while unknown; None where orders depend on it."""
        if not price and mint.subsidy_bps:
            return None
        worth = (price, mint.decimals) if price else (ONE_USD, MICRO)
        terms = Terms(*worth, mint.extra_fee_bps, mint.subsidy_bps, mint.burn_bps)
        return cls(mint.mint, mint.decimals, terms, pool_left, is_priced=price > 0)

    def worth_floor(self, quote: Quote) -> int:
        """Micro-USD that the renter pays an hour, rounded down."""
        return self.usd_floor(quote.rates.rate)

    def usd_floor(self, base_units: int) -> int:
        """Micro-USD that an amount is worth, rounded down."""
        return base_units_to_usd_floor(base_units, self.terms.price, self.terms.decimals)


@dataclass(slots=True)
class Pricing:
    """The market's terms, as prices are shown by: tokens with the market's own first. Remembers what it has quoted."""

    market: Market | None
    tokens: tuple[PayableToken, ...]
    market_mint: Pubkey | str | None = None
    _quotes: dict[tuple[object, ...], Quote | None] = field(default_factory=dict)

    @classmethod
    def at(
        cls,
        market: Market,
        market_mint: Pubkey | str,
        mints: Iterable[tuple[PayableMint, int]],
        pools: Iterable[DailyShare],
        now: int,
    ) -> Self:
        """Terms at `now`: payment mints with their prices, and the vaults of the market token."""
        left = most_pool_left(pools, market, now)
        known = (PayableToken.of(mint, price, left if mint.subsidy_bps else 0) for mint, price in mints)
        tokens = sorted(filter(None, known), key=lambda token: (token.mint != market_mint, str(token.mint)))
        return cls(market, tuple(tokens), market_mint)

    def token(self, mint: Pubkey | str | None = None) -> PayableToken | None:
        """A token by its mint, by default the market's own; None where nothing is paid in it now."""
        wanted = self.market_mint if mint is None else mint
        return next((token for token in self.tokens if token.mint == wanted), None)

    def quote(self, machine: PricedMachine, left: int, kind: RentalKind, token: PayableToken) -> Quote | None:
        """Quote of the order that the price is shown of, `left` being what its host may still draw today; None where
        the machine takes no such order."""
        reference = machine_reference_usd(machine)
        offered = offered_usd(machine, kind)
        key = (kind, token.mint, offered, reference, machine.mrl_seconds, left)
        if key not in self._quotes:
            if len(self._quotes) >= MOST_QUOTES:
                self._quotes.clear()
            cover = Cover(reference, min(left, token.pool_left))
            self._quotes[key] = self._quoted(offered, kind, machine.mrl_seconds, token, cover)
        return self._quotes[key]

    def paid_usd(self, machine: PricedMachine, left: int, kind: RentalKind, token: PayableToken) -> int | None:
        """Micro-USD that such an order pays an hour, rounded down; None where the machine takes none."""
        quote = self.quote(machine, left, kind, token)
        return None if quote is None else token.worth_floor(quote)

    def ways(self, machine: PricedMachine, left: int, seconds: int) -> list[tuple[PayableToken, Quote]]:
        """Quotes of the machine for `seconds` by kind and token, spot at its least bid, for a renter without stake;
        cheapest first. Kinds that take no such order are left out, and tokens without a price."""
        found = [
            (token, quote)
            for token in self.tokens
            for kind in KINDS
            if token.is_priced and (quote := self._quote_of(machine, left, kind, token, seconds)) is not None
        ]
        return sorted(found, key=lambda way: way[0].usd_floor(way[1].deposit))

    def left_out(
        self, machine: PricedMachine, seconds: int, ways: Iterable[tuple[PayableToken, Quote]]
    ) -> list[KindLeftOut]:
        """Kinds that are in none of the `ways` to pay for `seconds`, and why."""
        taken = {quote.kind for _, quote in ways}
        market = self.market
        return [_left_out(kind, machine, market, seconds) for kind in KINDS if market and kind not in taken]

    def _quote_of(
        self, machine: PricedMachine, left: int, kind: RentalKind, token: PayableToken, seconds: int
    ) -> Quote | None:
        """Quote of an order of this very time; None where none is taken."""
        market = self.market
        offered = offered_usd(machine, kind)
        if market is None or not takes_time(kind, seconds, market, machine.mrl_seconds):
            return None
        cover = Cover(machine_reference_usd(machine), min(left, token.pool_left))
        try:
            quote = quote_ceil(offered, kind, seconds, market, token.terms, cover=cover)
        except MathOverflow:
            return None
        return quote if quote.usd_floor >= max(1, market.order_min_usd) else None

    def _quoted(self, offered: int, kind: RentalKind, longest: int, token: PayableToken, cover: Cover) -> Quote | None:
        if self.market is None:
            return None
        seconds = shown_seconds(offered, kind, self.market, longest)
        if seconds is None:
            return None
        try:
            return quote_ceil(offered, kind, seconds, self.market, token.terms, cover=cover)
        except MathOverflow:
            return None


def offered_usd(machine: PricedMachine, kind: RentalKind) -> int:
    """Micro-USD an hour that a machine asks of an order: its least bid for spot."""
    return machine.spot_min_usd if kind is RentalKind.SPOT else machine.on_demand_usd


def _left_out(kind: RentalKind, machine: PricedMachine, market: Market, seconds: int) -> KindLeftOut:
    usd = hourly_usd(offered_usd(machine, kind), kind, market.reserved_discount_bps)
    if usd == 0:
        return KindLeftOut(kind, NoOrder.NOT_OFFERED, None)
    longest = min(machine.mrl_seconds, market.max_duration)
    least = max(market.min_duration, enough_seconds(market, usd))
    shortest: int | None = least
    if kind is RentalKind.RESERVED:
        shortest = min((term for term in RESERVED_TERMS if term >= least), default=None)
    if shortest is not None and shortest > longest:
        shortest = None
    reason = NoOrder.NO_PRICE
    if kind is RentalKind.RESERVED and seconds not in RESERVED_TERMS:
        reason = NoOrder.OTHER_TERM
    elif seconds < least:
        reason = NoOrder.TOO_SHORT
    elif seconds > longest:
        reason = NoOrder.TOO_LONG
    return KindLeftOut(kind, reason, shortest)


def takes_time(kind: RentalKind, seconds: int, market: Market, longest: int) -> bool:
    """True where an order of a kind may be for `seconds` on a machine that is rented for at most `longest`."""
    if kind is RentalKind.RESERVED and seconds not in RESERVED_TERMS:
        return False
    return market.min_duration <= seconds <= min(longest, market.max_duration)


def shown_seconds(offered: int, kind: RentalKind, market: Market, longest: int) -> int | None:
    """Seconds of the order whose price is shown of a machine that is offered at `offered` micro-USD an hour for at most
    `longest` seconds; None where it takes no order."""
    usd = hourly_usd(offered, kind, market.reserved_discount_bps)
    if usd == 0:
        return None
    if kind is RentalKind.RESERVED:
        seconds = min(RESERVED_TERMS)
    else:
        seconds = max(min(SECONDS_PER_HOUR, longest), market.min_duration, enough_seconds(market, usd))
    return seconds if seconds <= min(longest, market.max_duration) else None
