"""Prices of an hour: before fees, and as orders pay them."""

from __future__ import annotations

from collections.abc import Iterable

from solders.pubkey import Pubkey

from anchor_client.amounts import exact_usd
from anchor_client.generated.types import RentalKind
from anchor_client.resources.base import Address, BaseUnits, Kind, Resource, about
from anchor_client.rules.hourly import KINDS, KindLeftOut, NoOrder, PayableToken, PricedMachine, Pricing
from anchor_client.rules.order import Quote


class UsdRate(Resource):
    """A price in US dollars, before fees and subsidy."""

    usd_per_hour: str = about(description="Exact, six decimals.", examples=["2.760000"])
    micro_usd_per_hour: int = about(examples=[2_760_000])

    @classmethod
    def of(cls, micro_usd: int) -> UsdRate:
        """A rate from micro-USD per hour."""
        return cls.known(usd_per_hour=exact_usd(micro_usd), micro_usd_per_hour=micro_usd)


class OrderRate(Resource):
    """Price of an hour in a token, as an order placed now by a renter without stake pays it: with fees and burn, less
    the subsidy that the host's daily budget and the pool's daily share still give it.
    """

    kind: Kind
    mint: Address
    decimals: int
    duration: int = about(
        description="Seconds of that order, the shortest of its kind and an hour at least. A longer one may have less "
        "subsidy an hour."
    )
    base_units_per_hour: BaseUnits | None = about(description="Null while the token's price is unknown.")
    subsidy_per_hour: BaseUnits | None
    burned_per_hour: BaseUnits | None
    micro_usd_per_hour: int = about(description="Its value at the token's price, rounded down.", examples=[607_200])

    @classmethod
    def of(cls, quote: Quote, token: PayableToken, gpus: int = 1) -> OrderRate:
        """Rate of a quote, or its share for one of the machine's `gpus`, rounded up."""
        rates = quote.rates
        units = (rates.rate, rates.subsidy, rates.burn) if token.is_priced else (None, None, None)
        paid, subsidy, burned = (None if each is None else -(-each // gpus) for each in units)
        return cls.known(
            kind=quote.kind,
            mint=token.mint,
            decimals=token.decimals,
            duration=quote.duration,
            base_units_per_hour=paid,
            subsidy_per_hour=subsidy,
            burned_per_hour=burned,
            micro_usd_per_hour=-(-token.worth_floor(quote) // gpus),
        )


class OrderCost(Resource):
    """Cost of a time on a machine in a token, for an order placed now by a renter without stake; spot at the machine's
    minimum bid.
    """

    kind: Kind
    mint: Address
    decimals: int
    duration: int = about(description="Seconds.")
    deposit: BaseUnits = about(description="Paid into escrow, fees and burn included.")
    subsidy: BaseUnits = about(description="Added by the market.")
    micro_usd: int = about(description="The deposit's value at the token's price, rounded down.")
    micro_usd_per_hour: int = about(description="The same of an hour.")

    @classmethod
    def of(cls, token: PayableToken, quote: Quote) -> OrderCost:
        """Cost of a quote in its token."""
        return cls.known(
            kind=quote.kind,
            mint=token.mint,
            decimals=token.decimals,
            duration=quote.duration,
            deposit=quote.deposit,
            subsidy=quote.subsidy,
            micro_usd=token.usd_floor(quote.deposit),
            micro_usd_per_hour=token.worth_floor(quote),
        )


class LeftOutKind(Resource):
    """A kind by which a machine takes no order of the time, and why."""

    kind: Kind
    reason: NoOrder = about(
        description="not-offered; other-term: reserved is for 7, 30 or 90 days; too-short: the order is shorter or "
        "worth less than the market's minimum; too-long; no-price: of any token.",
    )
    shortest: int | None = about(
        description="Seconds of the shortest order that the kind takes; null if it takes none."
    )

    @classmethod
    def of(cls, left_out: KindLeftOut) -> LeftOutKind:
        """One that the rules left out."""
        return cls.known(**left_out._asdict())


def order_rates(machine: PricedMachine, left: int, pricing: Pricing) -> tuple[OrderRate, ...]:
    """Rates of orders of a machine by kind and token, `left` being what its host may still draw today; the market token
    first. Kinds that the machine does not take are left out.
    """
    return tuple(
        OrderRate.of(quote, token)
        for token in pricing.tokens
        for kind in KINDS
        if (quote := pricing.quote(machine, left, kind, token)) is not None
    )


def find_rate(
    rates: Iterable[OrderRate], mint: Pubkey | str | None, kind: RentalKind = RentalKind.ON_DEMAND
) -> OrderRate | None:
    """The rate of a kind in a token; None if there is none."""
    return next((rate for rate in rates if rate.kind is kind and rate.mint == mint), None)
