"""veto_proposal: the guardian stops a queued upgrade or payment, and nothing else. Invariants MKT-7, GOV-12."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.types.action import (
    Action,
    ActionSetKey,
    ActionTreasuryTransfer,
    ActionUpgradeProgram,
)
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.proposal_state import ProposalState

from .harness.actors import AUTHORITY, GPUM, GUARDIAN, HOST, RENTER, STRANGER, TENANT
from .harness.governance import (
    TIP,
    due,
    enacted,
    execute,
    hand_over,
    proposed,
    queued,
    veto_proposal,
    voted,
    with_stake,
)
from .harness.outcome import expect
from .harness.world import World

PAY = ActionTreasuryTransfer(GPUM, STRANGER, 1)


@pytest.mark.parametrize(
    "action",
    [PAY, ActionUpgradeProgram(RENTER, bytes(32)), ActionSetKey(MarketKey.TREASURY, STRANGER)],
    ids=lambda action: type(action).__name__,
)
def test_veto_proposal__queued_upgrade_or_payment__is_never_executed(world: World, action: Action) -> None:
    proposal = queued(with_stake(world), action)
    seq = world.read(Proposal, proposal).seq
    event = world.act(veto_proposal(proposal)).event(events.ProposalVetoed)
    assert event == events.ProposalVetoed(proposal=proposal, by=GUARDIAN, at=world.now, seq=seq + 1)
    assert world.read(Proposal, proposal).state == ProposalState.VETOED
    world.wait(world.read(Proposal, proposal).execute_at - world.now)
    with expect(errors.WrongProposalState):
        world.act(execute(world, proposal))


@pytest.mark.parametrize("action", [TIP, ActionSetKey(MarketKey.GUARDIAN, STRANGER)])
def test_veto_proposal__anything_else__is_refused(world: World, action: Action) -> None:
    proposal = queued(with_stake(world), action)
    with expect(errors.NotCritical):
        world.act(veto_proposal(proposal))


def test_veto_proposal__own_replacement__cannot_be_stopped(world: World) -> None:
    """A guardian who stops everything is replaced by a vote that they cannot stop."""
    with_stake(world).act(hand_over())
    payment = due(world, PAY)
    enacted(world, ActionSetKey(MarketKey.GUARDIAN, STRANGER), TENANT)
    with expect(errors.Unauthorized):
        world.act(veto_proposal(payment))


def test_veto_proposal__vote_that_is_open_or_not_counted__is_refused(world: World) -> None:
    proposal = proposed(with_stake(world), PAY)
    with expect(errors.WrongProposalState):
        world.act(veto_proposal(proposal))
    ended = voted(world, PAY, TENANT)
    with expect(errors.WrongProposalState):
        world.act(veto_proposal(ended))


def test_veto_proposal__due_already__still_works(world: World) -> None:
    proposal = due(with_stake(world), PAY)
    world.act(veto_proposal(proposal))
    with expect(errors.WrongProposalState):
        world.act(veto_proposal(proposal))


@pytest.mark.parametrize("signer", [AUTHORITY, HOST, STRANGER])
def test_veto_proposal__not_the_guardian__is_refused(world: World, signer: Pubkey) -> None:
    proposal = queued(with_stake(world), PAY)
    with expect(errors.Unauthorized):
        world.act(veto_proposal(proposal, signer))
