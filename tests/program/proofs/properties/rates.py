"""The rates of an order."""

from __future__ import annotations

from anchor_client.generated.constants import BPS, MAX_FEE_BPS
from anchor_client.generated.types import RentalKind
from anchor_client.rules.math import mul_div_floor, share_ceil, share_floor
from anchor_client.rules.order import hourly_usd
from anchor_client.rules.rental import Fees, Rates
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import MAX_DISCOUNT_BPS, burn_bps, fees, price, subsidy_bps, usd
from tests.program.proofs.stated import Claims, holds


def _order(given: Given) -> tuple[Value, Fees, Value, Value, Rates]:
    own_price, own_fees, burn = price(given), fees(given), burn_bps(given)
    subsidy = share_floor(own_price, subsidy_bps(given))
    return own_price, own_fees, subsidy, burn, Rates.at(own_price, own_fees, subsidy=subsidy, burn_bps=burn)


@holds("RNT-1")
def rates_balance(given: Given) -> Claims:
    """Renter and subsidy pay per hour what host, fees and burn get."""
    _, _, subsidy, _, rates = _order(given)
    yield "balance", rates.rate + rates.subsidy == rates.host + rates.fee + rates.burn
    yield "subsidy", rates.subsidy == subsidy


@holds("RNT-1")
def a_host_earns_the_price_less_its_fee(given: Given) -> Claims:
    """A host earns exactly the price less its half of the fee, whatever subsidy and burn are, and never less than
    nothing."""
    own_price, own_fees, _, _, rates = _order(given)
    yield "exactly", rates.host == own_price - own_fees.of_host_ceil(own_price)
    yield "not negative", rates.host >= 0


@holds("RNT-1")
def the_burn_is_its_share_of_what_the_renter_pays(given: Given) -> Claims:
    """The burn is the mint's share of the renter's rate, rounded up."""
    *_, burn, rates = _order(given)
    yield "rounded up", rates.burn == share_ceil(rates.rate, burn)


@holds("RNT-1")
def no_rate_is_negative(given: Given) -> Claims:
    """No rate of an order is negative, whatever its subsidy."""
    *_, rates = _order(given)
    yield "renter", rates.rate >= 0
    yield "burn", rates.burn >= 0
    yield "fee", rates.fee >= 0


@holds("RNT-5")
def a_higher_price_costs_no_less(given: Given) -> Claims:
    """With the same terms a renter pays no less for a higher price."""
    low, more, own_fees, burn = price(given), price(given, "more"), fees(given), burn_bps(given)
    given.product(more, own_fees.bps // 2 * (BPS - own_fees.renter_discount_bps))
    one = Rates.at(low, own_fees, subsidy=0, burn_bps=burn)
    other = Rates.at(low + more, own_fees, subsidy=0, burn_bps=burn)
    given.product(other.rate - one.rate, BPS - burn)
    yield "no less", one.rate <= other.rate


@holds("MKT-11")
def a_subsidy_lowers_the_rate(given: Given) -> Claims:
    """A subsidy lowers what the renter pays by at least as much, and leaves the host's part as it is."""
    own_price, own_fees, subsidy, burn, rates = _order(given)
    plain = Rates.at(own_price, own_fees, subsidy=0, burn_bps=burn)
    yield "by as much", rates.rate + subsidy <= plain.rate
    yield "same host", rates.host == plain.host


@holds("STK-5")
def a_discount_only_lowers_a_fee(given: Given) -> Claims:
    """A discount only lowers a fee, and by no more than its share of it."""
    own_price, bps = price(given), given.integer("fee_bps", 0, MAX_FEE_BPS)
    discount = given.integer("discount_bps", 0, MAX_DISCOUNT_BPS)
    given.product(own_price * (bps // 2), discount)
    given.product(own_price, bps // 2)
    full, less = Fees(bps).of_renter_ceil(own_price), Fees(bps, 0, discount).of_renter_ceil(own_price)
    yield "lower", less <= full
    yield "at most half", 2 * less >= full - 1


@holds("SYS-2")
def a_fee_is_its_share_of_the_price(given: Given) -> Claims:
    """Both halves of the fee together are the share of the price that the market takes, rounded up on each side."""
    own_price, bps = price(given), given.integer("fee_bps", 0, MAX_FEE_BPS)
    extra = given.integer("extra_fee_bps", 0, MAX_FEE_BPS)
    own = Fees(bps, extra)
    both = own.of_renter_ceil(own_price) + own.of_host_ceil(own_price)
    yield "no less", both >= share_ceil(own_price, bps + extra)
    yield "one more", both <= share_ceil(own_price, bps + extra) + 1


@holds("RNT-15")
def the_fee_kept_for_an_extension_is_no_more_than_was_agreed(given: Given) -> Claims:
    """The renter's fee that a rental keeps as a share is no more than the fee of its order."""
    own_price, own = price(given), fees(given)
    share = own.of_renter_bps_floor
    given.product(own_price, (own.bps // 2) * (BPS - own.renter_discount_bps) - share * BPS)
    yield "no more", share_ceil(own_price, share) <= own.of_renter_ceil(own_price)


@holds("RNT-16")
def the_reserved_discount_lowers_the_price_by_its_share(given: Given) -> Claims:
    """A reserved hour costs its discount less, which is rounded down, and never less than half."""
    on_demand, discount = usd(given, "usd"), given.integer("discount_bps", 0, MAX_DISCOUNT_BPS)
    given.product(on_demand, 5_000 - discount)
    reserved = hourly_usd(on_demand, RentalKind.RESERVED, discount)
    yield "lower", reserved <= on_demand
    yield "rounded", reserved == on_demand - mul_div_floor(on_demand, discount, BPS)
    yield "at least half", 2 * reserved >= on_demand
