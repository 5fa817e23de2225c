"""The rules in seconds: for each a market shortly before an act is first allowed, or first refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from solders.instruction import Instruction

from anchor_client.generated import constants, errors, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.types.action import ActionTreasuryTransfer
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea

from . import charges, staking
from .actors import GPUM, GUARDIAN, HOST, LISTINGS, RENTER, TENANT, WSOL
from .changes import post_price, set_parameter, set_paused
from .flows import accepted, finished, opened, requested, running
from .governance import (
    CRITICAL_TIMELOCK,
    GOVERNANCE,
    TIMELOCK,
    VOTING_PERIOD,
    execute,
    hand_over,
    proposed,
    queued,
    voted,
    with_stake,
)
from .pyth import FEED, MAX_AGE, PriceUpdate, price_by_pyth, put_update
from .spot import challenged, held, preempt
from .terms import DAY, HOUR, PRICE_MAX_AGE, WSOL_PRICE
from .tokens import put_tokens
from .world import World

P = MarketParameter
Timed = tuple[Callable[[], Instruction], int]
"""An act, and the second at which it is first allowed or first refused."""


@dataclass(frozen=True, slots=True)
class TimedRule:
    """An act that `error` refuses before a second, or from it on if it `ends` there."""

    name: str
    names: tuple[str, ...]
    """Parameters and constants that set the second."""
    error: type[errors.ProgramError]
    prepare: Callable[[World], Timed]
    ends: bool
    gain: str
    """The leader's gain from it."""

    def __str__(self) -> str:
        return self.name.replace(" ", "_")


RULES: list[TimedRule] = []


def rule(
    name: str, *names: MarketParameter | str, error: type[errors.ProgramError], gain: str, ends: bool = False
) -> Callable[[Callable[[World], Timed]], Callable[[World], Timed]]:
    """Lists a rule that the function prepares."""

    def listed(prepare: Callable[[World], Timed]) -> Callable[[World], Timed]:
        said = tuple(each.name.lower() if isinstance(each, MarketParameter) else each for each in names)
        RULES.append(TimedRule(name, said, error, prepare, ends, gain))
        return prepare

    return listed


def soon(world: World, at: int) -> int:
    """Time passes, hosts heard from, to five seconds before `at`; gives `at`."""
    world.wait(at - 5 - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    return at


@rule(
    "start of a rental",
    P.PROVISION_TIMEOUT,
    error=errors.ProvisioningOverdue,
    ends=True,
    gain="starts a rental that the host was late for, or makes it late",
)
def _start(world: World) -> Timed:
    rental = accepted(world)
    return lambda: world.start_rental(rental), soon(world, world.now + 901)


@rule(
    "end of an order that never started",
    P.PROVISION_TIMEOUT,
    error=errors.ProvisioningInTime,
    gain="the tip, before others",
)
def _cancel_unstarted(world: World) -> Timed:
    rental = opened(world)
    return lambda: world.cancel_unstarted(rental), soon(world, world.now + 901)


@rule(
    "mark of an overdue host",
    P.OFFLINE_AFTER,
    error=errors.HostOnline,
    gain="nothing: the host has the whole window to answer",
)
def _mark(world: World) -> Timed:
    at = world.listing().last_heartbeat_at + 301
    world.wait(200)
    return world.mark_silent, at


@rule(
    "report of a host that did not answer",
    P.ANSWER_WINDOW,
    error=errors.HostOnline,
    gain="a host that needs the whole window loses the seconds since its last heartbeat; its slots are not shortened",
)
def _offline(world: World) -> Timed:
    rental = running(world, duration=DAY)
    world.wait(301)
    world.act(world.mark_silent())
    at = world.now + 60
    world.wait(50)
    return lambda: world.report_offline(rental), at


@rule(
    "report after a mark that nobody acted on",
    P.ANSWER_WINDOW,
    error=errors.HostOnline,
    ends=True,
    gain="the report fails, and the host has to be marked once more",
)
def _void(world: World) -> Timed:
    rental = running(world, duration=DAY)
    world.wait(301)
    world.act(world.mark_silent())
    at = world.now + 120
    world.wait(110)
    return lambda: world.report_offline(rental), at


@rule(
    "end of a holder's grace",
    P.SPOT_GRACE,
    "LEAST_GRACE",
    "GRACE_MEMORY",
    error=errors.GraceNotOver,
    gain="the order that waits has the machine so much earlier; the holder pays for no more than the clock shows",
)
def _preempt(world: World) -> Timed:
    held(world)
    challenged(world)
    return lambda: preempt(world), soon(world, world.listing().preempt_at)


@rule(
    "priority of stakers",
    P.PRIORITY_WINDOW,
    error=errors.PriorityWindow,
    gain="an idle machine, before wallets without stake may take it",
)
def _priority(world: World) -> Timed:
    world.act(set_parameter(P.PRIORITY_WINDOW, 60))
    world.run(60)
    world.act(world.stop_rental(running(world, TENANT)))
    return world.open_rental, soon(world, world.now + 60)


@rule("end of a paid time", error=errors.RentalNotExpired, gain="the tip, before others")
def _finalize(world: World) -> Timed:
    rental = running(world)
    return lambda: world.finalize_rental(rental), soon(world, world.now + HOUR)


@rule(
    "extension before the end",
    error=errors.RentalExpired,
    ends=True,
    gain="keeps a renter from extending, or extends a rental that was over",
)
def _extend(world: World) -> Timed:
    rental = running(world)
    return lambda: world.extend_rental(rental), soon(world, world.now + HOUR)


@rule(
    "contest of a finish",
    P.FINISH_WINDOW,
    error=errors.ContestWindowOver,
    ends=True,
    gain="contests late, or keeps a contest of the last seconds out",
)
def _contest(world: World) -> Timed:
    rental = finished(world)
    return lambda: world.contest_finish(rental), soon(world, world.now + DAY)


@rule(
    "release of a holdback", P.FINISH_WINDOW, error=errors.ContestWindowOpen, gain="the host's money, so much earlier"
)
def _release(world: World) -> Timed:
    rental = finished(world)
    return lambda: world.release_holdback(rental), soon(world, world.now + DAY)


@rule(
    "dispute of usage",
    P.CHARGE_WINDOW,
    error=errors.NothingToDispute,
    ends=True,
    gain="disputes late, or keeps a late one out",
)
def _dispute(world: World) -> Timed:
    meter = charges.reported(world, charges.metered(world, duration=2 * DAY))
    return lambda: charges.dispute_usage(world, meter), world.now + charges.WINDOW + 1


@rule("end of a dispute", P.CHARGE_WINDOW, error=errors.DisputeOpen, gain="the renter's money, so much earlier")
def _resolve(world: World) -> Timed:
    meter = charges.disputed(world, charges.metered(world, duration=2 * DAY))
    return lambda: charges.resolve_dispute(meter), world.now + charges.WINDOW + 1


@rule("match of a request", error=errors.RequestOver, ends=True, gain="matches late, or keeps a late match out")
def _match(world: World) -> Timed:
    request = requested(world)
    return lambda: world.match_request(request), soon(world, world.now + DAY)


@rule("end of a request", error=errors.RequestNotExpired, gain="the tip, before others")
def _expire(world: World) -> Timed:
    request = requested(world)
    return lambda: world.expire_request(request), soon(world, world.now + DAY)


@rule(
    "next posted price",
    P.MIN_POST_INTERVAL,
    error=errors.PostTooSoon,
    gain="one step of the price, so much earlier; only its oracle posts it",
)
def _post(world: World) -> Timed:
    world.wait(100)
    world.act(post_price(WSOL_PRICE))
    return lambda: post_price(WSOL_PRICE + 1), soon(world, world.now + 60)


@rule(
    "age of a posted price",
    "max_age",
    error=errors.PriceStale,
    ends=True,
    gain="orders at a price that is so much older than its mint's terms allow, or none",
)
def _stale(world: World) -> Timed:
    return lambda: world.open_rental(mint=WSOL), soon(world, world.now + PRICE_MAX_AGE + 1)


@rule(
    "age of a price of Pyth's",
    "max_age",
    error=errors.PriceStale,
    ends=True,
    gain="the same; a price counts from its own time, which is not the leader's",
)
def _stale_update(world: World) -> Timed:
    price_by_pyth(world)
    put_update(world, PriceUpdate(world.now))
    return lambda: world.open_rental(mint=WSOL, price_feed=FEED), soon(world, world.now + MAX_AGE + 1)


@rule("stake that leaves", P.EPOCH_SECONDS, error=errors.StakeCooling, gain="its owner's stake, so much earlier")
def _withdraw(world: World) -> Timed:
    world.act(staking.stake(), staking.unstake())
    return staking.withdraw_stake, world.now + staking.EPOCH


@rule(
    "locked tokens that leave",
    P.MFP_UNLOCK_DELAY,
    error=errors.LockNotOver,
    gain="its owner's tokens, so much earlier",
)
def _unlock(world: World) -> Timed:
    world.act(staking.lock_mfp(), staking.unlock_mfp())
    return staking.withdraw_mfp, world.now + 7 * DAY


@rule("vote", P.VOTING_PERIOD, error=errors.VoteEnded, ends=True, gain="votes late, or keeps a late vote out")
def _vote(world: World) -> Timed:
    proposal = proposed(with_stake(world))
    return lambda: instructions.vote(voter=TENANT, proposal=proposal, support=True), world.now + VOTING_PERIOD


@rule("count of votes", P.VOTING_PERIOD, error=errors.VoteOpen, gain="keeps a late vote out")
def _count(world: World) -> Timed:
    proposal = proposed(with_stake(world))
    world.act(instructions.vote(voter=RENTER, proposal=proposal, support=True))
    return lambda: instructions.queue_proposal(proposal=proposal), world.now + VOTING_PERIOD


@rule("timelock", P.TIMELOCK, error=errors.TimelockRunning, gain="an action that was voted for, so much earlier")
def _timelock(world: World) -> Timed:
    with_stake(world).act(hand_over())
    proposal = queued(world)
    return lambda: execute(world, proposal), world.now + TIMELOCK


@rule("timelock of a critical action", P.CRITICAL_TIMELOCK, error=errors.TimelockRunning, gain="the same")
def _critical(world: World) -> Timed:
    with_stake(world).act(hand_over())
    proposal = queued(world, ActionTreasuryTransfer(GPUM, TENANT, 1))
    put_tokens(world.cluster, GPUM, GOVERNANCE, 1)
    at = world.read(Proposal, proposal).execute_at
    assert at == world.now + CRITICAL_TIMELOCK
    return lambda: execute(world, proposal), at


@rule(
    "execution of a vote",
    "EXECUTION_WINDOW",
    error=errors.ProposalExpired,
    ends=True,
    gain="executes late, or keeps a late execution out",
)
def _execution(world: World) -> Timed:
    with_stake(world).act(hand_over())
    proposal = queued(world)
    return lambda: execute(world, proposal), world.now + TIMELOCK + constants.EXECUTION_WINDOW


@rule(
    "time to count votes",
    "QUEUE_WINDOW",
    error=errors.ProposalExpired,
    ends=True,
    gain="counts late, or keeps a late count out",
)
def _count_window(world: World) -> Timed:
    proposal = voted(with_stake(world))
    return lambda: instructions.queue_proposal(proposal=proposal), world.now + constants.QUEUE_WINDOW


@rule("guardian's pause", "GUARDIAN_PAUSE", error=errors.Paused, gain="an order or a listing, so much earlier")
def _pause(world: World) -> Timed:
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))
    return world.create_listing, world.now + constants.GUARDIAN_PAUSE


@rule("guardian's next pause", "GUARDIAN_PAUSE_GAP", error=errors.PauseTooSoon, gain="a pause, so much earlier")
def _pause_again(world: World) -> Timed:
    world.act(set_paused(PauseArea.HOSTS, caller=GUARDIAN))
    at = world.now + constants.GUARDIAN_PAUSE + constants.GUARDIAN_PAUSE_GAP
    return lambda: set_paused(PauseArea.HOSTS, caller=GUARDIAN), at


OTHERWISE = {
    "min_duration": "a length that an order says",
    "max_duration": "a length that an order says",
    "MAX_DURATION": "a length that an order says",
    "MAX_REQUEST_SECONDS": "a length that an order says",
    "min_charge_seconds": "seconds that are charged: see the money by the second",
    "provision_promise": "seconds that are charged: see the money by the second",
    "holdback_window": "seconds that are charged: see the money by the second",
    "min_rated_seconds": "seconds that are charged: see the money by the second",
    "REPORT_WINDOW": "a report of the first hour weighs what its renter has paid, two seconds more or less",
    "reputation_interval": "which day's payments move a score: two seconds' payments more or less",
}
"""Durations that refuse no act, and why a leader gains no more by them."""
