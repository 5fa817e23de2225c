"""Terms of the market for an order, before any machine is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination, usd
from anchor_client.amounts import duration as say
from anchor_client.errors import refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.accounts import PaymentMint
from anchor_client.generated.types import RentalKind
from anchor_client.kinds import parse_kind
from anchor_client.market.reads import MarketReader
from anchor_client.rules.math import base_units_to_usd_floor
from anchor_client.rules.order import Quote, enough_seconds
from anchor_client.rules.payment_mint import FreshPrice
from anchor_client.rules.rental import RESERVED_TERMS
from anchor_client.rules.renter_profile import first_nonce


@dataclass(frozen=True, slots=True)
class OrderTerms:
    """A kind of order in one mint as the market took it at `now`; `wraps` when it is paid in SOL."""

    kind: RentalKind
    market: MarketAccount
    payment_mint: PaymentMint
    price: FreshPrice
    token: Denomination
    wraps: bool
    now: int

    @property
    def mint(self) -> Pubkey:
        """Mint that the order is paid in."""
        return self.payment_mint.mint

    @property
    def priced_mint(self) -> PaymentMint:
        """The payment mint at its fresh price."""
        return replace(self.payment_mint, price=self.price.pico_usd)

    @classmethod
    async def read(cls, reads: MarketReader, kind: str | RentalKind, pay: str | Pubkey, duration: int) -> OrderTerms:
        """The terms for `duration` seconds, paid in a symbol or a mint's address.

        Raises UnknownKind, UnknownPaymentToken, and what the program would refuse whatever the listing.
        """
        tokens = await reads.tokens()
        known = parse_kind(kind)
        market = await reads.market()
        payment_mint = await reads.payment_mint(tokens.mint(pay))
        require_duration(market, known, duration)
        now = await reads.now()
        price = await reads.fresh_price(payment_mint, now)
        token = Denomination(tokens.symbol(payment_mint.mint), payment_mint.decimals)
        return cls(known, market, payment_mint, price, token, tokens.wraps(pay), now)

    def is_worth(self, quote: Quote) -> bool:
        """True if an order reaches the market's minimum."""
        return quote.usd_floor >= self.market.order_min_usd

    def enough(self, usd_per_hour: int) -> int:
        """Seconds, whole minutes, for which a machine at this price reaches the market's minimum."""
        return enough_seconds(self.market, usd_per_hour)

    def paid_usd(self, quote: Quote) -> int:
        """Micro-USD that the renter pays an hour, rounded down."""
        return base_units_to_usd_floor(quote.rates.rate, self.price.pico_usd, self.payment_mint.decimals)

    def require_worth(self, quote: Quote) -> None:
        """Raises the program's refusal of an order below the market's minimum."""
        if not self.is_worth(quote):
            found = f"{usd(quote.usd_floor)}; the minimum is {usd(self.market.order_min_usd)}"
            if quote.usd_per_hour:
                found += f", which {say(self.enough(quote.usd_per_hour))} of this machine come to"
            raise refusal(refusals.OrderBelowMinimum.code, found)

    def require_price(self, quote: Quote, max_usd: int | None) -> None:
        """Raises CostAboveMaximum for an order that pays more than `max_usd` micro-USD an hour."""
        paid = self.paid_usd(quote)
        if max_usd is not None and paid > max_usd:
            detail = f"it costs {usd(paid)} an hour in {self.token.symbol}, the maximum is {usd(max_usd)}"
            raise refusal(refusals.CostAboveMaximum.code, detail)


def require_duration(market: MarketAccount, kind: RentalKind, duration: int) -> None:
    """Raises what the program would refuse an order's duration for."""
    if kind is RentalKind.RESERVED and duration not in RESERVED_TERMS:
        raise refusal(refusals.InvalidReservedTerm.code)
    if duration < market.min_duration:
        raise refusal(refusals.DurationTooShort.code, f"{say(duration)}; the shortest is {say(market.min_duration)}")
    if duration > market.max_duration:
        raise refusal(refusals.DurationTooLong.code, f"{say(duration)}; the longest is {say(market.max_duration)}")


async def next_nonce(reads: MarketReader, renter: Pubkey) -> tuple[int, tuple[Instruction, ...]]:
    """The number of a renter's next order, and the registration of one who has never ordered."""
    profile = await reads.renter_profile(renter)
    if profile is not None:
        return profile.next_nonce, ()
    first = first_nonce((await reads.program.clock()).slot)
    return first, (reads.instruction(build.register_renter, caller=renter, wallet=renter, first_nonce=first),)
