"""A host's score, extra fee and bids on its machines."""

from __future__ import annotations

from anchor_client.generated.constants import BPS, MAX_FEE_BPS
from anchor_client.rules.host import Reputation, extra_fee_bps_ceil
from anchor_client.rules.listing import least_bid_usd, next_bid_usd
from anchor_client.rules.math import U64_MAX
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import U32_MAX, usd
from tests.program.proofs.stated import Claims, holds


def _lock(given: Given) -> tuple[Value, Value, Value]:
    points, per_point = given.integer("points", 1, U32_MAX), given.integer("mfp_per_point", 0, 2**32)
    return points, per_point, points * per_point


@holds("MFP-1")
def a_lock_only_lowers_the_extra_fee(given: Given) -> Claims:
    """A lock only lowers a host's extra fee: it is the whole one without tokens, and nothing with those required."""
    fee, (points, per_point, required) = given.integer("fee", 0, MAX_FEE_BPS), _lock(given)
    locked, more = given.integer("locked", 0, U64_MAX), given.integer("more", 0, U64_MAX)

    def at(tokens: Value) -> Value:
        return extra_fee_bps_ceil(fee, points=points, mfp_locked=tokens, mfp_per_point=per_point)

    given.product(fee, required - max(required - locked, 0))
    given.product(fee, max(required - locked, 0) - max(required - locked - more, 0))
    given.exceeds(at(locked), fee, required)
    given.exceeds(at(locked + more), at(locked), required)
    yield "no more than the whole", at(locked) <= fee
    yield "lower with more", at(locked + more) <= at(locked)
    yield "enough", at(required) == 0


def _reputation(given: Given) -> Reputation:
    weight = given.integer("rating_weight", 0, 2**62)
    tracked, up = given.integer("tracked_seconds", 0, 2**62), given.integer("up_seconds", 0, 2**62)
    given.assume(up <= tracked)
    rated = given.integer("rating_sum", 0, 2**63)
    given.assume(weight <= rated)
    given.assume(rated <= 5 * weight)
    return Reputation(
        prior_usd=given.integer("prior_usd", 1_000_000, 10**12),
        paid_usd=given.integer("paid_usd", 0, 2**62),
        tracked_seconds=tracked,
        up_seconds=up,
        rating_sum=rated,
        rating_weight=weight,
        completed=given.integer("completed", 0, U32_MAX),
        failed=given.integer("failed", 0, U32_MAX),
        not_as_listed_usd=given.integer("not_as_listed_usd", 0, 2**62),
    )


@holds("HST-9")
def a_score_is_a_share(given: Given) -> Claims:
    """Each part of a score, and the score, is from nothing to the whole."""
    own = _reputation(given)
    parts = {"uptime": own.uptime_part_bps, "rating": own.rating_part_bps, "completion": own.completion_part_bps}
    shares = (own.uptime_bps, own.rating_bps, own.completion_bps)
    wholes = (own.tracked_seconds, 4 * own.rating_weight, own.completed + own.failed)
    paid = (own.paid_usd, own.rating_weight, own.paid_usd)
    against = (0, 0, own.not_as_listed_usd)
    for part, share, whole, weight, more in zip(parts.values(), shares, wholes, paid, against, strict=True):
        known = BPS // 2 if share is None else share
        given.exceeds(known, BPS, whole)
        given.exceeds(0, known, whole)
        given.product(BPS - known, weight)
        given.product(known, weight)
        given.exceeds(part, BPS, weight + more + own.prior_usd)
        given.exceeds(0, part, weight + more + own.prior_usd)
    for name, part in parts.items():
        yield f"{name} no less", part >= 0
        yield f"{name} no more", part <= BPS
    yield "score", own.score_bps_floor <= BPS


@holds("HST-11")
def a_report_never_raises_a_score(given: Given) -> Claims:
    """A report of a machine that is not as listed never raises the part of the score for completed rentals."""
    own = _reputation(given)
    more = given.integer("more_usd", 0, 2**62)
    worse = Reputation(
        **{name: getattr(own, name) for name in Reputation.__slots__}
        | {"not_as_listed_usd": own.not_as_listed_usd + more}
    )
    before, after = own.completion_part_bps, worse.completion_part_bps
    given.product(before, more)
    given.product(after - before - 1, own.paid_usd + own.not_as_listed_usd + own.prior_usd)
    given.product(after - before - 1, more)
    yield "no higher", after <= before


@holds("HST-11")
def a_report_lowers_a_good_score(given: Given) -> Claims:
    """A report that weighs as much as renters have paid halves the difference that their money makes to a host whose
    rentals all ended well, prior aside."""
    paid = given.integer("paid_usd", 10**12, 2**62)
    own = Reputation(prior_usd=10**6, paid_usd=paid, completed=1, not_as_listed_usd=paid)
    given.exceeds(own.completion_part_bps, BPS // 2 + 1, 2 * paid)
    yield "halved", own.completion_part_bps <= BPS // 2 + 1


@holds("HST-9")
def a_host_that_nobody_paid_scores_half(given: Given) -> Claims:
    """The parts of a host whom nobody has paid are half, whatever its heartbeats and rentals say."""
    own = _reputation(given)
    given.assume(own.paid_usd == 0)
    given.assume(own.not_as_listed_usd == 0)
    for name, part in (("uptime", own.uptime_part_bps), ("completion", own.completion_part_bps)):
        given.exceeds(part, BPS // 2, own.prior_usd)
        given.exceeds(BPS // 2, part, own.prior_usd)
        yield name, part == BPS // 2


@holds("HST-9")
def a_host_that_nobody_rated_has_half_of_it(given: Given) -> Claims:
    """A rating counts by what its renter paid: the first ones for little move the part little."""
    prior, paid = given.integer("prior_usd", 10**9, 10**12), given.integer("paid_usd", 0, 2**62)
    own = Reputation(prior_usd=prior, paid_usd=paid, rating_sum=5, rating_weight=1)
    given.exceeds(own.rating_part_bps, BPS // 2 + 1, prior)
    yield "little", own.rating_part_bps <= BPS // 2 + 1


@holds("MFP-1")
def without_points_the_extra_fee_is_whole(given: Given) -> Claims:
    """Tokens locked for other machines take nothing off the extra fee of one without points."""
    fee, locked = given.integer("fee", 0, MAX_FEE_BPS), given.integer("locked", 0, U64_MAX)
    yield "whole", extra_fee_bps_ceil(fee, points=0, mfp_locked=locked, mfp_per_point=1_000) == fee


@holds("SPT-2")
def a_bid_that_beats_another_is_higher(given: Given) -> Claims:
    """The least bid that beats a rental is above its price by the market's increment at least."""
    rate, increment = usd(given, "rate_usd"), given.integer("increment_bps", 1, 5_000)
    least = least_bid_usd(rate, increment)
    yield "higher", least > rate
    yield "increment", (least - rate) * BPS >= rate * increment


@holds("SPT-2")
def a_bid_is_at_most_the_price_on_demand(given: Given) -> Claims:
    """The next bid on a machine is at least its spot minimum and at most its price on demand, or there is none."""
    on_demand, minimum, rate = usd(given, "on_demand_usd"), usd(given, "spot_min_usd"), usd(given, "rate_usd")
    to_beat = given.choice("to_beat", (None, False, True))
    found = next_bid_usd(on_demand, minimum, None if to_beat is None else (to_beat, rate), 500)
    if found is not None:
        yield "minimum", found >= minimum
        yield "on demand", found <= on_demand
    else:
        yield "none", to_beat is False or minimum == 0 or minimum > on_demand or (rate + 1) * 2 > on_demand
