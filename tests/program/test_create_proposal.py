"""create_proposal: stakers above a threshold put an action to the vote.

Invariants SYS-4, GOV-2, GOV-3, GOV-8 to GOV-10, GOV-13.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.accounts.stake_account import StakeAccount
from anchor_client.generated.constants import EXECUTION_WINDOW
from anchor_client.generated.pdas import find_proposal, find_stake
from anchor_client.generated.types.action import (
    Action,
    ActionSetKey,
    ActionSetParameter,
    ActionTreasuryTransfer,
    ActionUpgradeProgram,
)
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.market.governance.execution import action_of
from anchor_client.rules.market import stake_to_propose

from .harness.actors import GPUM, RENTER, STRANGER, TENANT
from .harness.changes import set_parameter
from .harness.governance import (
    BEGIN,
    STAKE,
    STAKERS,
    TIMELOCK,
    TIP,
    VOTING_PERIOD,
    close_proposal,
    next_nonce,
    propose,
    proposed,
    put_pool,
    put_stake,
    voted,
    with_stake,
)
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY
from .harness.world import World


def test_create_proposal__staker__opens_the_vote_under_the_rules_of_the_day(world: World) -> None:
    with_stake(world)
    put_pool(world, STAKE * 3, warming=5, epoch_ends_at=BEGIN + 1)
    market, nonce = world.market(), next_nonce(world)
    outcome = world.act(propose(world, title="Cheaper cranks"))
    proposal = find_proposal(RENTER, nonce)[0]
    assert outcome.event(events.ProposalCreated) == events.ProposalCreated(
        proposal=proposal,
        id=0,
        proposer=RENTER,
        eligible=STAKE * 3,
        quorum_bps=market.quorum_bps,
        threshold_bps=market.threshold_bps,
        timelock=TIMELOCK,
        ends_at=BEGIN + VOTING_PERIOD,
        at=BEGIN,
        seq=1,
        market_seq=market.seq + 1,
        stake_seq=2,
        critical=False,
        action=TIP,
        title="Cheaper cranks",
    )
    state = world.read(Proposal, proposal)
    assert (state.proposer, state.eligible, state.ends_at) == (RENTER, STAKE * 3, BEGIN + VOTING_PERIOD)
    assert (state.id, state.nonce, next_nonce(world)) == (0, nonce, nonce + 1)
    assert action_of(state) == TIP
    assert world.market().next_proposal == 1


def test_create_proposal__second_one__takes_the_next_number(world: World) -> None:
    with_stake(world)
    proposals = [proposed(world), proposed(world, proposer=TENANT)]
    assert [world.read(Proposal, proposal).id for proposal in proposals] == [0, 1]


@pytest.mark.parametrize("off", [-1, 1])
def test_create_proposal__another_nonce_than_the_next__is_refused(world: World, off: int) -> None:
    """The last one's address is never used again, and the one after the next not yet."""
    last = proposed(with_stake(world))
    world.act(instructions.cancel_proposal(proposer=RENTER, proposal=last), close_proposal(world, last))
    with expect(errors.NonceMismatch):
        world.act(propose(world, nonce=next_nonce(world) + off))
    assert proposed(world) != last


def test_create_proposal__another_wallets_nonce__is_refused(world: World) -> None:
    proposed(with_stake(world))
    theirs = next_nonce(world, TENANT)
    assert theirs != next_nonce(world)
    with expect_refusal():
        world.act(propose(world, nonce=theirs))
    with expect_refusal():
        world.act(propose(world, proposal=find_proposal(TENANT, theirs)[0]))


@pytest.mark.parametrize("missing", [1, 0])
@pytest.mark.parametrize(("parameter", "least"), [(STAKE // 1_000, STAKE // 1_000), (2**64 - 1, 6 * 10**9 + 1)])
def test_create_proposal__stake_around_the_minimum__is_refused_below(
    world: World, parameter: int, least: int, missing: int
) -> None:
    """The parameter, or a hundredth of all active stake where that is less: no parameter ends proposals."""
    with_stake(world)
    put_pool(world, STAKE + 1)
    world.act(set_parameter(MarketParameter.PROPOSAL_STAKE, parameter))
    assert stake_to_propose(world.market(), STAKE + 1) == least
    put_stake(world, RENTER, least - missing)
    if missing:
        with expect(errors.StakeTooSmall):
            world.act(propose(world))
    else:
        world.act(propose(world))


@pytest.mark.parametrize("early", [1, 0])
def test_create_proposal__stake_that_warms_up__counts_from_the_boundary(world: World, early: int) -> None:
    with_stake(world)
    put_stake(world, RENTER, 0, warming=STAKE, warm_at=BEGIN + early)
    if early:
        with expect(errors.StakeTooSmall):
            world.act(propose(world))
    else:
        world.act(propose(world))


def test_create_proposal__no_minimum__still_needs_stake(world: World) -> None:
    with_stake(world)
    world.act(set_parameter(MarketParameter.PROPOSAL_STAKE, 0))
    put_stake(world, RENTER, 0)
    with expect(errors.StakeTooSmall):
        world.act(propose(world))


def test_create_proposal__somebody_elses_stake__is_refused(world: World) -> None:
    with_stake(world)
    with expect(errors.WrongStakeOwner):
        world.act(propose(world, proposer=STRANGER, stake=find_stake(TENANT)[0]))


def test_create_proposal__proposer__keeps_the_stake_in_place_until_the_end(world: World) -> None:
    proposed(with_stake(world))
    assert world.read(StakeAccount, find_stake(RENTER)[0]).voting_until == BEGIN + VOTING_PERIOD


def test_create_proposal__shorter_vote_later__never_frees_the_stake_earlier(world: World) -> None:
    proposal = proposed(with_stake(world))
    world.act(set_parameter(MarketParameter.VOTING_PERIOD, DAY))
    world.act(instructions.cancel_proposal(proposer=RENTER, proposal=proposal))
    proposed(world)
    assert world.read(StakeAccount, find_stake(RENTER)[0]).voting_until == BEGIN + VOTING_PERIOD


def test_create_proposal__while_the_last_one_lives__is_refused(world: World) -> None:
    """One stake, one proposal: voters cannot be buried under hundreds of them."""
    proposal = voted(with_stake(world))
    world.act(instructions.queue_proposal(proposal=proposal))
    for _ in ("timelock", "time to execute"):
        with expect(errors.ProposalLive):
            world.act(propose(world))
        world.wait(TIMELOCK)
    world.wait(EXECUTION_WINDOW)
    with expect(errors.ProposalLive):
        world.act(propose(world))
    world.act(close_proposal(world, proposal), propose(world))


@pytest.mark.parametrize(
    ("action", "rules"),
    [
        (TIP, (DAY, 1_000, 6_000)),
        (ActionSetKey(MarketKey.GUARDIAN, RENTER), (DAY, 1_000, 6_000)),
        (ActionSetKey(MarketKey.TREASURY, RENTER), (8 * DAY, 3_000, 6_667)),
        (ActionTreasuryTransfer(GPUM, RENTER, 1), (8 * DAY, 3_000, 6_667)),
        (ActionUpgradeProgram(RENTER, bytes(32)), (8 * DAY, 3_000, 6_667)),
    ],
    ids=lambda given: type(given).__name__,
)
def test_create_proposal__code_and_treasury__take_more_votes_and_time(
    world: World, action: Action, rules: tuple[int, int, int]
) -> None:
    state = world.read(Proposal, proposed(with_stake(world), action))
    assert (state.timelock, state.quorum_bps, state.threshold_bps) == rules
    assert state.critical == (rules[0] > DAY)


def test_create_proposal__ordinary_rules_above_the_critical_ones__hold_for_both(world: World) -> None:
    with_stake(world)
    for parameter, value in (
        (MarketParameter.TIMELOCK, 9 * DAY),
        (MarketParameter.QUORUM_BPS, 4_000),
        (MarketParameter.THRESHOLD_BPS, 8_000),
    ):
        world.act(set_parameter(parameter, value))
    state = world.read(Proposal, proposed(world, ActionTreasuryTransfer(GPUM, RENTER, 1)))
    assert (state.timelock, state.quorum_bps, state.threshold_bps) == (9 * DAY, 4_000, 8_000)


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (ActionSetParameter(MarketParameter.QUORUM_BPS, 4_001), errors.ParameterOutOfBounds),
        (ActionSetParameter(MarketParameter.THRESHOLD_BPS, 4_999), errors.ParameterOutOfBounds),
        (ActionTreasuryTransfer(GPUM, RENTER, 0), errors.ZeroAmount),
    ],
)
def test_create_proposal__action_that_could_never_be_done__is_refused(
    world: World, action: Action, error: type[errors.ProgramError]
) -> None:
    with_stake(world)
    with expect(error):
        world.act(propose(world, action))


@pytest.mark.parametrize("length", [0, 200, 201])
def test_create_proposal__title_around_its_limit__is_refused_above(world: World, length: int) -> None:
    with_stake(world)
    if length > 200:
        with expect(errors.TitleTooLong):
            world.act(propose(world, title="x" * length))
    else:
        assert world.act(propose(world, title="x" * length)).event(events.ProposalCreated).title == "x" * length


@pytest.mark.parametrize("voter", STAKERS)
def test_create_proposal__new_rules_meanwhile__leave_a_running_vote_alone(world: World, voter: Pubkey) -> None:
    proposal = proposed(with_stake(world))
    before = world.read(Proposal, proposal)
    for parameter, value in (
        (MarketParameter.QUORUM_BPS, 4_000),
        (MarketParameter.THRESHOLD_BPS, 8_000),
        (MarketParameter.TIMELOCK, 2 * DAY),
        (MarketParameter.VOTING_PERIOD, DAY),
    ):
        world.act(set_parameter(parameter, value))
    world.act(instructions.vote(voter=voter, proposal=proposal, support=True))
    after = world.read(Proposal, proposal)
    for name in ("quorum_bps", "threshold_bps", "timelock", "ends_at", "eligible"):
        assert getattr(after, name) == getattr(before, name)
