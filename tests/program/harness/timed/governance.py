"""Rules of votes and pauses in seconds."""

from __future__ import annotations

from anchor_client.generated import constants, errors, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.pdas import find_vote_record
from anchor_client.generated.types.action import ActionTreasuryTransfer
from anchor_client.generated.types.market_parameter import MarketParameter as P
from anchor_client.generated.types.pause_area import PauseArea

from ..actors import GPUM, GUARDIAN, RENTER, TENANT
from ..changes import set_paused
from ..governance import (
    CRITICAL_TIMELOCK,
    GOVERNANCE,
    TIMELOCK,
    VOTING_PERIOD,
    close_proposal,
    execute,
    hand_over,
    proposed,
    queued,
    voted,
    with_stake,
)
from ..tokens import put_tokens
from ..world import World
from .rule import Timed, rule


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


@rule(
    "close of a vote record",
    P.VOTING_PERIOD,
    error=errors.VoteOpen,
    gain="the record's rent, so much earlier; the vote counts all the same",
)
def _close_vote(world: World) -> Timed:
    proposal = proposed(with_stake(world))
    world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))
    record = find_vote_record(proposal, TENANT)[0]
    act = instructions.close_vote(vote_record=record, proposal=proposal, voter=TENANT)
    return lambda: act, world.now + VOTING_PERIOD


@rule(
    "close of a proposal that was never counted",
    "QUEUE_WINDOW",
    error=errors.ProposalNotOver,
    gain="keeps a late count out; the proposer may make another",
)
def _close_uncounted(world: World) -> Timed:
    proposal = voted(with_stake(world))
    return lambda: close_proposal(world, proposal), world.now + constants.QUEUE_WINDOW


@rule(
    "close of a proposal that was never executed",
    "EXECUTION_WINDOW",
    error=errors.ProposalNotOver,
    gain="keeps a late execution out; the proposer may make another",
)
def _close_unexecuted(world: World) -> Timed:
    with_stake(world).act(hand_over())
    proposal = queued(world)
    return lambda: close_proposal(world, proposal), world.now + TIMELOCK + constants.EXECUTION_WINDOW
