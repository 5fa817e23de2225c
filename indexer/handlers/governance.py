"""Proposals, votes, and what they hold in place."""

from __future__ import annotations

import json

from solders.pubkey import Pubkey

from anchor_client.generated.events import (
    AuthorityHandedOver,
    ProposalCancelled,
    ProposalCreated,
    ProposalDecided,
    ProposalExecuted,
    VoteCast,
    VoteClosed,
)
from anchor_client.generated.pdas import find_market, find_stake
from anchor_client.generated.types import ProposalState
from anchor_client.market.governance.words import action_fields, kind_of
from indexer.handlers.market import record_change
from indexer.handlers.step import Step, on
from indexer.models import Market, Proposal, Stake, Vote


@on(AuthorityHandedOver)
def on_authority_handed_over(event: AuthorityHandedOver, step: Step) -> None:
    """The stakers' vote becomes the market's authority."""
    market = step.change(Market, event.market, event.seq)
    if market is not None:
        market.authority = str(event.new)
        record_change(step, market.address, event.seq, event.at, "authority", event.old, event.new)


@on(ProposalCreated)
def on_proposal_created(event: ProposalCreated, step: Step) -> None:
    """An action is put to the vote."""
    step.change(Market, find_market()[0], event.market_seq)
    _hold(step, event.proposer, event.stake_seq, event.ends_at)
    step.open(
        Proposal(
            address=str(event.proposal),
            number=event.id,
            proposer=str(event.proposer),
            title=event.title,
            kind=kind_of(event.action),
            action=json.dumps(action_fields(event.action)),
            state="voting",
            eligible=event.eligible,
            quorum_bps=event.quorum_bps,
            threshold_bps=event.threshold_bps,
            timelock=event.timelock,
            created_at=event.at,
            ends_at=event.ends_at,
            open_tx=step.signature,
            seq=event.seq,
        )
    )


@on(VoteCast)
def on_vote_cast(event: VoteCast, step: Step) -> None:
    """A staker votes."""
    step.rows.add(
        Vote(
            proposal=str(event.proposal),
            voter=str(event.voter),
            support=event.support,
            weight=event.weight,
            ts=event.at,
            tx=step.signature,
        )
    )
    _hold(step, event.voter, event.stake_seq, event.voting_until)
    proposal = step.change(Proposal, event.proposal, event.seq)
    if proposal is not None:
        proposal.votes_for, proposal.votes_against = event.votes_for, event.votes_against
        proposal.voters += 1


@on(VoteClosed)
def on_vote_closed(event: VoteClosed, step: Step) -> None:
    """The rent of a vote goes back to its voter; the vote stays."""
    vote = step.rows.change(Vote, str(event.proposal), str(event.voter))
    if vote is not None:
        vote.closed_at = event.at


@on(ProposalCancelled)
def on_proposal_cancelled(event: ProposalCancelled, step: Step) -> None:
    """The proposer withdraws it."""
    proposal = step.change(Proposal, event.proposal, event.seq)
    if proposal is not None:
        _close(proposal, "cancelled", event.at, step)


@on(ProposalDecided)
def on_proposal_decided(event: ProposalDecided, step: Step) -> None:
    """The votes are counted: queued or defeated."""
    proposal = step.change(Proposal, event.proposal, event.seq)
    if proposal is None:
        return
    proposal.votes_for, proposal.votes_against = event.votes_for, event.votes_against
    if event.state == ProposalState.QUEUED:
        proposal.state = "queued"
        proposal.execute_at, proposal.expires_at = event.execute_at, event.expires_at
    else:
        _close(proposal, event.state.name.lower(), event.at, step)


@on(ProposalExecuted)
def on_proposal_executed(event: ProposalExecuted, step: Step) -> None:
    """The action is done; what it changed comes in events of its own."""
    proposal = step.change(Proposal, event.proposal, event.seq)
    if proposal is not None:
        proposal.executed_by = str(event.by)
        _close(proposal, "executed", event.at, step)


def _hold(step: Step, owner: Pubkey, seq: int, until: int) -> None:
    """A vote keeps a wallet's stake in place, at least until the one before would."""
    stake = step.change(Stake, find_stake(owner)[0], seq)
    if stake is not None:
        stake.voting_until = max(stake.voting_until, until)


def _close(proposal: Proposal, state: str, at: int, step: Step) -> None:
    proposal.state = state
    proposal.closed_at = at
    proposal.close_tx = step.signature
