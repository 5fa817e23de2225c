"""A rental's escrow: what is paid while it runs, and how it is divided at the end."""

from __future__ import annotations

from types import SimpleNamespace

from anchor_client.generated.constants import BPS, MAX_DURATION, SECONDS_PER_HOUR
from anchor_client.rules.math import U64_MAX, accrued_ceil, accrued_floor
from anchor_client.rules.rental import Split, compensation, earned_floor, holdback, payable_floor, split
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import grows, held_back, host_rate, rental, scaled
from tests.program.proofs.stated import Claims, holds


def _settled_and(given: Given, name: str) -> tuple[SimpleNamespace, Value]:
    """A rental, and seconds of its term from those settled on."""
    own = rental(given, not_as_listed=False)
    seconds = given.integer(name, 0, MAX_DURATION)
    given.assume(own.settled <= seconds)
    given.assume(seconds <= own.duration)
    scaled(given, own, own.settled, seconds)
    held_back(given, own, own.settled)
    held_back(given, own, seconds)
    grows(given, own, own.settled, seconds)
    return own, seconds


def _ending(given: Given) -> tuple[SimpleNamespace, Value, Split]:
    own, charged = _settled_and(given, "charged")
    fault = given.choice("host_at_fault", (False, True))
    return own, charged, split(own, charged, host_at_fault=fault)


def _went(shares: Split) -> Value:
    return shares.paid + shares.fees + shares.burned + shares.refunded + shares.subsidy_returned


@holds("RNT-1")
def what_came_in_is_what_goes_out(given: Given) -> Claims:
    """Deposit and subsidy are what was paid while it ran and what the ending pays, burns, refunds and returns."""
    own, _, shares = _ending(given)
    came = own.deposit + accrued_ceil(own.subsidy_rate, own.duration)
    yield "equation", came == payable_floor(own, own.settled) + _went(shares)


@holds("RNT-1", "RNT-4")
def no_ending_fails_by_arithmetic(given: Given) -> Claims:
    """No ending of a rental that was opened overflows, and no share of it is negative."""
    _, _, shares = _ending(given)
    for name in ("paid", "fees", "burned", "refunded", "subsidy_returned"):
        yield name, getattr(shares, name) >= 0


@holds("SYS-2")
def rounding_favours_neither_side_that_asks(given: Given) -> Claims:
    """Debts of renter and pool for the seconds charged are rounded up, shares of host and burn rounded down, each by
    less than one base unit."""
    own, charged, _ = _ending(given)
    shares = split(own, charged, host_at_fault=False)
    hour = SECONDS_PER_HOUR
    spent = own.deposit - shares.refunded
    drawn = accrued_ceil(own.subsidy_rate, own.duration) - shares.subsidy_returned
    earned = shares.paid + payable_floor(own, own.settled)
    host = host_rate(own)
    yield "renter", own.rate * charged <= spent * hour
    yield "renter by one", spent * hour < own.rate * charged + hour
    yield "pool", own.subsidy_rate * charged <= drawn * hour
    yield "pool by one", drawn * hour < own.subsidy_rate * charged + hour
    yield "host", earned * hour <= host * charged
    yield "host by one", host * charged < earned * hour + hour
    yield "burn", shares.burned * hour <= own.burn_rate * charged
    yield "burn by one", own.burn_rate * charged < shares.burned * hour + hour


@holds("RNT-1")
def fees_are_the_fees_agreed(given: Given) -> Claims:
    """The fees of an ending are the fee's rate for the seconds charged, and at most four base units of rounding
    more."""
    own, charged, shares = _ending(given)
    agreed = accrued_floor(own.fee_rate, charged)
    yield "no less", shares.fees >= agreed
    yield "rounding", shares.fees <= agreed + 4


@holds("RNT-1")
def an_ending_after_all_seconds_returns_what_is_spare(given: Given) -> Claims:
    """A rental charged to its end refunds what its deposit had beyond its cost and returns no subsidy."""
    own = rental(given, not_as_listed=False)
    scaled(given, own, own.settled)
    held_back(given, own, own.settled)
    grows(given, own, own.settled, own.duration)
    shares = split(own, own.duration, host_at_fault=False)
    yield "refund", shares.refunded == own.deposit - accrued_ceil(own.rate, own.duration)
    yield "subsidy", shares.subsidy_returned == 0


@holds("RNT-3")
def settlements_change_nothing_of_the_total(given: Given) -> Claims:
    """Settlements before the end, in any number of steps, change nothing of what each side gets in all."""
    own, charged, shares = _ending(given)
    before = payable_floor(own, own.settled)
    other = SimpleNamespace(**vars(own) | {"settled": 0})
    held_back(given, own, 0)
    unsettled = split(other, charged, host_at_fault=False)
    fair = split(own, charged, host_at_fault=False)
    yield "host", fair.paid + before == unsettled.paid
    yield "renter", fair.refunded == unsettled.refunded
    yield "fees", fair.fees == unsettled.fees
    yield "burn", shares.burned == unsettled.burned
    yield "pool", shares.subsidy_returned == unsettled.subsidy_returned


@holds("RNT-3")
def a_settlement_pays_no_less_than_nothing(given: Given) -> Claims:
    """The pay of a host never falls as the seconds grow, so that a settlement after another pays the difference, and
    the same moment twice nothing."""
    own, later = _settled_and(given, "later")
    early, late = payable_floor(own, own.settled), payable_floor(own, later)
    yield "never falls", early <= late


@holds("RNT-3")
def a_host_is_paid_no_more_than_it_earned(given: Given) -> Claims:
    """While a rental runs its host has been paid at most what it earned, and what is held back is the rest."""
    own = rental(given, not_as_listed=False)
    scaled(given, own, own.settled)
    held_back(given, own, own.settled)
    paid, earned = payable_floor(own, own.settled), earned_floor(own, own.settled)
    yield "no more", paid <= earned
    yield "not negative", paid >= 0
    yield "rest", holdback(own, own.settled) == earned - paid


@holds("RNT-12")
def the_holdback_is_of_the_last_window(given: Given) -> Claims:
    """The holdback is at most its share of what was earned in the last window, and one base unit of rounding."""
    own = rental(given, not_as_listed=False)
    seconds = own.settled
    scaled(given, own, seconds)
    held_back(given, own, seconds)
    safe = earned_floor(own, max(seconds - own.holdback_window, 0))
    held = holdback(own, seconds)
    yield "share", held * BPS <= (earned_floor(own, seconds) - safe) * own.holdback_bps + BPS


@holds("RNT-12")
def the_holdback_is_no_less_than_its_share(given: Given) -> Claims:
    """The holdback is at least its share of what was earned in the last window."""
    own = rental(given, not_as_listed=False)
    seconds = own.settled
    scaled(given, own, seconds)
    held_back(given, own, seconds)
    safe = earned_floor(own, max(seconds - own.holdback_window, 0))
    yield "share", holdback(own, seconds) * BPS >= (earned_floor(own, seconds) - safe) * own.holdback_bps


@holds("RNT-7")
def a_failed_host_gets_no_more_than_a_faultless_one(given: Given) -> Claims:
    """A host at fault gets no more than one that is not, and the renter all the difference."""
    own, charged, _ = _ending(given)
    bad, good = split(own, charged, host_at_fault=True), split(own, charged, host_at_fault=False)
    yield "no more", bad.paid <= good.paid
    yield "renter", bad.refunded - good.refunded == good.paid - bad.paid
    yield "others", bad.fees == good.fees


@holds("RNT-21")
def a_contested_finish_pays_the_host_what_giving_up_would(given: Given) -> Claims:
    """A finish pays the host its earnings less the holdback: contested, that is what it would have got by giving up."""
    own, charged, _ = _ending(given)
    finish, cancel = split(own, charged, host_at_fault=False), split(own, charged, host_at_fault=True)
    yield "same", finish.paid - holdback(own, charged) == cancel.paid


@holds("RNT-3")
def a_renter_charged_for_fewer_seconds_pays_no_more(given: Given) -> Claims:
    """A renter who is charged for fewer seconds gets no less back, and the pool no less either."""
    own, charged, _ = _ending(given)
    fewer = given.integer("fewer", 0, MAX_DURATION)
    given.assume(own.settled <= fewer)
    given.assume(fewer <= charged)
    scaled(given, own, own.settled, fewer, charged)
    grows(given, own, own.settled, fewer)
    less, more = split(own, fewer, host_at_fault=False), split(own, charged, host_at_fault=False)
    yield "renter", less.refunded >= more.refunded
    yield "pool", less.subsidy_returned >= more.subsidy_returned
    yield "host", less.paid <= more.paid
    yield "burn", less.burned <= more.burned


@holds("SPT-8")
def a_compensation_is_what_the_deposit_has_beyond_its_cost(given: Given) -> Claims:
    """A waiting order's compensation is never negative, and paying it leaves its refund no less than nothing."""
    own = rental(given, not_as_listed=False, settled=0)
    scaled(given, own)
    shares = split(own, 0, host_at_fault=False)
    yield "not negative", compensation(own) >= 0
    yield "left", shares.refunded - compensation(own) >= 0
    yield "rest", shares.refunded - compensation(own) == accrued_ceil(own.rate, own.duration)


@holds("RNT-3")
def an_extension_costs_what_one_order_costs(given: Given) -> Claims:
    """The time of a rental costs the same in one order or extended in steps."""
    own = rental(given, not_as_listed=False)
    more = given.integer("more", 0, MAX_DURATION)
    given.assume(own.rate * (own.duration + more) <= U64_MAX * SECONDS_PER_HOUR)
    given.product(own.rate, more)
    step = accrued_ceil(own.rate, own.duration + more) - accrued_ceil(own.rate, own.duration)
    longer = accrued_ceil(own.rate, own.duration) + step
    yield "same", longer == accrued_ceil(own.rate, own.duration + more)
    yield "not negative", step >= 0
