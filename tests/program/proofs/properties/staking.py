"""Stake, rewards and votes."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from anchor_client.generated.constants import BPS, HOLDING_TOKENS, MAX_DURATION, MAX_HOLDING_DISCOUNT_BPS
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.rules.math import U64_MAX
from anchor_client.rules.proposal import tally_of
from anchor_client.rules.stake_account import (
    PresentStake,
    active_at,
    holding_discount_bps_floor,
    spread_discount_bps_floor,
    votes_since,
)
from anchor_client.rules.stake_pool import advanced, earned_floor, from_words
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import AT, parameter
from tests.program.proofs.stated import Claims, holds

EPOCH = 86_400


@holds("STK-5")
def the_discount_by_stake_is_bounded(given: Given) -> Claims:
    """Nobody's stake gives more than half of a fee off, and more stake gives no less."""
    decimals = given.choice("decimals", range(10))
    stake, more = given.integer("stake", 0, U64_MAX), given.integer("more", 0, U64_MAX)
    one = holding_discount_bps_floor(stake, decimals)
    yield "half", one <= MAX_HOLDING_DISCOUNT_BPS
    yield "no less", one <= holding_discount_bps_floor(stake + more, decimals)


@holds("STK-5")
def the_discount_by_stake_is_rounded_down(given: Given) -> Claims:
    """A stake's discount is no more than its exact share."""
    decimals = given.choice("decimals", range(10))
    stake, whole = given.integer("stake", 0, U64_MAX), HOLDING_TOKENS * 10**decimals
    discount = holding_discount_bps_floor(stake, decimals)
    yield "no more", discount * whole <= stake * MAX_HOLDING_DISCOUNT_BPS


@holds("STK-9")
def a_spread_discount_takes_no_more_than_one_cool_down(given: Given) -> Claims:
    """A discount spread over a term takes no more off it than off one cool-down, and is never higher than without."""
    bps, seconds = given.integer("bps", 0, MAX_HOLDING_DISCOUNT_BPS), given.integer("seconds", 1, MAX_DURATION)
    market = SimpleNamespace(epoch_seconds=parameter(given, MarketParameter.EPOCH_SECONDS))
    spread = spread_discount_bps_floor(bps, seconds, market)
    counted = min(seconds, market.epoch_seconds)
    yield "in all", spread * seconds <= bps * counted
    given.product(bps, seconds - counted)
    given.product(spread - bps - 1, seconds)
    yield "no higher", spread <= bps


def _shares(given: Given) -> tuple[Value, Value, Value]:
    one, other = given.integer("one", 0, U64_MAX), given.integer("other", 0, U64_MAX)
    queued = given.integer("queued", 1, U64_MAX)
    given.assume(one + other <= U64_MAX)
    given.assume(one + other >= 1)
    return one, other, queued


@holds("STK-1", "STK-2")
def rewards_of_all_are_no_more_than_was_queued(given: Given) -> Claims:
    """An epoch's rewards give everyone's stake together no more than was queued."""
    one, other, queued = _shares(given)
    share = (queued << 64) // (one + other)
    given.product(share, one)
    given.product(share, other)
    given.assume(share < 2**128)
    yield "no more", (one * share) // 2**64 + (other * share) // 2**64 <= queued


@holds("STK-2")
def stake_that_is_divided_earns_no_more(given: Given) -> Claims:
    """Two wallets with the parts of a stake earn together no more than one with all of it."""
    one, other, _ = _shares(given)
    start, end = given.integer("start", 0, 2**128 - 1), given.integer("end", 0, 2**128 - 1)
    given.assume(start <= end)
    grown = end - start
    given.product(one, grown)
    given.product(other, grown)
    given.assume((one + other) * grown < 2**128)
    together = earned_floor(one + other, start, end)
    yield "no more", earned_floor(one, start, end) + earned_floor(other, start, end) <= together


@holds("STK-2", "STK-3")
def rewards_in_steps_are_no_more_than_at_once(given: Given) -> Claims:
    """A wallet that settles often is paid no more than one that settles once."""
    stake = given.integer("stake", 0, U64_MAX)
    first, second = given.integer("first", 0, 2**127), given.integer("second", 0, 2**127)
    given.product(stake, first)
    given.product(stake, second)
    given.assume(stake * (first + second) < 2**127)
    at_once = earned_floor(stake, 0, first + second)
    yield "no more", earned_floor(stake, 0, first) + earned_floor(stake, first, first + second) <= at_once


@holds("STK-2")
def an_accumulator_that_wraps_pays_the_same(given: Given) -> Claims:
    """An accumulator that has passed its last value pays what one would that has not."""
    stake, start = given.integer("stake", 0, U64_MAX), given.integer("start", 0, 2**128 - 1)
    grown = given.integer("grown", 0, 2**127)
    wrapped = (start + grown) % 2**128
    yield "same", earned_floor(stake, start, wrapped) == earned_floor(stake, 0, grown)


@dataclass(frozen=True)
class Stream:
    """A mint's rewards in the pool, accumulators at nothing."""

    queued: Value
    acc: tuple[Value, Value] = (0, 0)
    next_acc: tuple[Value, Value] = (0, 0)


@dataclass(frozen=True)
class Pool:
    """A pool with one mint's rewards."""

    active: Value
    rewards: tuple[Stream, ...]
    epoch_ends_at: Value
    warming: Value = 0
    epoch: Value = 0
    epoch_started_at: Value = 0


def _queued(given: Given) -> tuple[Value, Value]:
    """The queued amount, and the end of the epoch."""
    return given.integer("queued", 1, U64_MAX), given.integer("epoch_ends_at", 0, AT)


def _advanced(active: Value, queued: Value, ends_at: Value, epochs: Value) -> Stream:
    """The stream once some epochs have ended."""
    pool = Pool(active, (Stream(queued),), ends_at)
    return advanced(pool, ends_at + (epochs - 1) * EPOCH, EPOCH).rewards[0]


@holds("STK-2")
def rewards_wait_for_stakers(given: Given) -> Claims:
    """Rewards queued in an epoch without active stake wait whole, however many epochs pass."""
    queued, ends_at = _queued(given)
    stream = _advanced(0, queued, ends_at, given.integer("epochs", 1, 1_000))
    yield "queued", stream.queued == queued
    yield "nothing paid", from_words(stream.next_acc) == 0


@holds("STK-3")
def epochs_that_nobody_ended_are_passed(given: Given) -> Claims:
    """Rewards are earned one epoch after they are shared, and at once where that has passed as well."""
    active, (queued, ends_at) = given.integer("active", 1, U64_MAX), _queued(given)
    soon = _advanced(active, queued, ends_at, 1)
    late = _advanced(active, queued, ends_at, given.integer("epochs", 2, 1_000))
    yield "shared", from_words(soon.next_acc) == from_words(late.next_acc)
    yield "not yet", from_words(soon.acc) == 0
    yield "earned", from_words(late.acc) == from_words(late.next_acc)


@holds("STK-4")
def stake_counts_once_it_is_warm(given: Given) -> Claims:
    """Stake counts from the end of its warm-up, and what is active counts until then."""
    now, warm_at = given.integer("now", 0, AT), given.integer("warm_at", 0, AT)
    account = SimpleNamespace(
        active=given.integer("active", 0, U64_MAX), warming=given.integer("warming", 0, U64_MAX), warm_at=warm_at
    )
    counts = active_at(account, now)
    yield "cold", now >= warm_at or counts == account.active
    yield "warm", now < warm_at or counts == account.active + account.warming


@holds("STK-4")
def stake_leaves_once_it_is_cool(given: Given) -> Claims:
    """Nothing of a stake that cools can be withdrawn before its time, and all of it from then on."""
    now, cool_at = given.integer("now", 0, AT), given.integer("cool_at", 0, AT)
    cooling = given.integer("cooling", 1, U64_MAX)
    leaves = PresentStake(cooling=cooling, cool_at=cool_at).withdrawable(now)
    yield "before", now >= cool_at or leaves == 0
    yield "after", now < cool_at or leaves == cooling


@holds("GOV-2", "GOV-11")
def votes_are_no_more_than_the_stake(given: Given) -> Claims:
    """A wallet never votes with more than the stake that counts now, nor with less than nothing."""
    ups = [
        SimpleNamespace(at=given.integer(f"at_{each}", 0, AT), amount=given.integer(f"amount_{each}", 0, U64_MAX))
        for each in range(4)
    ]
    account = SimpleNamespace(
        active=given.integer("active", 0, U64_MAX),
        warming=given.integer("warming", 0, U64_MAX),
        warm_at=given.integer("warm_at", 0, AT),
        warm_ups=ups,
    )
    opened = given.integer("opened_at", 0, AT)
    votes = votes_since(account, opened)
    yield "no more", votes <= active_at(account, opened)
    yield "not negative", votes >= 0


@holds("GOV-11")
def stake_that_came_later_does_not_vote(given: Given) -> Claims:
    """Stake that began to count after a proposal opened does not vote on it."""
    opened, later = given.integer("opened_at", 0, AT), given.integer("later", 1, AT)
    active, came = given.integer("active", 0, U64_MAX), given.integer("came", 0, U64_MAX)
    given.assume(came <= active)
    none = SimpleNamespace(at=0, amount=0)
    ups = [none, none, none, SimpleNamespace(at=opened + later, amount=came)]
    account = SimpleNamespace(active=active, warming=0, warm_at=0, warm_ups=ups)
    yield "before", votes_since(account, opened) == active - came


@holds("GOV-4")
def a_threshold_is_rounded_up(given: Given) -> Claims:
    """The votes in favour that a proposal needs are no fewer than the exact share of those cast."""
    proposal = SimpleNamespace(
        eligible=1,
        quorum_bps=1,
        threshold_bps=given.integer("threshold_bps", BPS // 2, BPS),
        votes_for=given.integer("votes_for", 0, 2**62),
        votes_against=given.integer("votes_against", 0, 2**62),
    )
    cast = proposal.votes_for + proposal.votes_against
    given.product(cast, BPS - proposal.threshold_bps)
    yield "no fewer", tally_of(proposal).needed * BPS >= cast * proposal.threshold_bps


@holds("GOV-4")
def a_tally_asks_for_no_more_than_there_is(given: Given) -> Claims:
    """The votes that a proposal needs are no more than can be cast, so that everyone in favour always passes it."""
    eligible = given.integer("eligible", 1, U64_MAX)
    proposal = SimpleNamespace(
        eligible=eligible,
        quorum_bps=given.integer("quorum_bps", 1, BPS),
        threshold_bps=given.integer("threshold_bps", BPS // 2, BPS),
        votes_for=eligible,
        votes_against=0,
    )
    given.product(eligible, BPS - proposal.quorum_bps)
    given.product(eligible, BPS - proposal.threshold_bps)
    tally = tally_of(proposal)
    yield "quorum", tally.quorum <= eligible
    yield "needed", tally.needed <= tally.cast


@holds("GOV-4")
def a_minority_never_passes(given: Given) -> Claims:
    """Fewer than half of the votes cast never pass a proposal."""
    votes_for, against = given.integer("votes_for", 0, U64_MAX), given.integer("votes_against", 0, U64_MAX)
    given.assume(votes_for < against)
    given.assume(votes_for + against <= U64_MAX)
    threshold = given.integer("threshold_bps", BPS // 2, BPS)
    proposal = SimpleNamespace(
        eligible=given.integer("eligible", 1, U64_MAX),
        quorum_bps=given.integer("quorum_bps", 1, BPS),
        threshold_bps=threshold,
        votes_for=votes_for,
        votes_against=against,
    )
    given.product(votes_for + against, threshold - BPS // 2)
    given.assume(proposal.eligible * proposal.quorum_bps <= U64_MAX * BPS)
    tally = tally_of(proposal)
    yield "not passed", tally.votes_for < tally.needed
