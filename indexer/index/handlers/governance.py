"""Proposals, votes, and what they hold in place."""

from __future__ import annotations

import json
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated.events import (
    AuthorityHandedOver,
    ProposalCancelled,
    ProposalClosed,
    ProposalCreated,
    ProposalDecided,
    ProposalExecuted,
    ProposalVetoed,
    VoteCast,
    VoteClosed,
)
from anchor_client.generated.pdas import find_market, find_stake
from anchor_client.generated.types import ProposalState
from anchor_client.market.governance.words import action_fields, kind_of
from indexer.index.handlers.market import record_change
from indexer.index.handlers.step import Step, on
from indexer.models import Market, Proposal, Stake, Vote


@on(AuthorityHandedOver)
def on_authority_handed_over(event: AuthorityHandedOver, step: Step) -> None:
    """The stakers' vote becomes the market's authority."""
    market = step.change(Market, event.market, event.seq, authority=str(event.new))
    if market is not None:
        record_change(step, market.address, event.seq, event.at, "authority", event.old, event.new)


@on(ProposalCreated)
def on_proposal_created(event: ProposalCreated, step: Step) -> None:
    """An action is put to the vote."""
    step.change(Market, find_market(step.program)[0], event.market_seq)
    _hold(step, event.proposer, event.stake_seq, event.ends_at)
    step.open(
        Proposal,
        event.proposal,
        event,
        number=event.id,
        kind=kind_of(event.action),
        action=json.dumps(action_fields(event.action)),
        state="voting",
        created_at=event.at,
        open_tx=step.signature,
    )


@on(VoteCast)
def on_vote_cast(event: VoteCast, step: Step) -> None:
    """A staker votes."""
    step.add(Vote, event)
    _hold(step, event.voter, event.stake_seq, event.voting_until)
    proposal = step.change(Proposal, event.proposal, event.seq, event)
    if proposal is not None:
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
    _close(event, step, "cancelled")


@on(ProposalDecided)
def on_proposal_decided(event: ProposalDecided, step: Step) -> None:
    """The votes are counted: queued or defeated."""
    if event.state == ProposalState.QUEUED:
        step.change(Proposal, event.proposal, event.seq, event)
    else:
        _close(event, step, event.state.name.lower(), votes_for=event.votes_for, votes_against=event.votes_against)


@on(ProposalExecuted)
def on_proposal_executed(event: ProposalExecuted, step: Step) -> None:
    """The action is done; separate events carry what it changed."""
    _close(event, step, "executed", executed_by=str(event.by))


@on(ProposalVetoed)
def on_proposal_vetoed(event: ProposalVetoed, step: Step) -> None:
    """The guardian stops it."""
    _close(event, step, "vetoed")


@on(ProposalClosed)
def on_proposal_closed(event: ProposalClosed, step: Step) -> None:
    """The rent of a proposal that is over goes back to its proposer; the proposal stays."""
    step.change(Proposal, event.proposal, event.seq, returned_at=event.at)
    step.change(Stake, find_stake(event.proposer, step.program)[0], event.stake_seq)


def _hold(step: Step, owner: Pubkey, seq: int, until: int) -> None:
    """A vote keeps a wallet's stake in place, at least until the one before would."""
    stake = step.change(Stake, find_stake(owner, step.program)[0], seq)
    if stake is not None:
        stake.voting_until = max(stake.voting_until, until)


def _close(
    event: ProposalCancelled | ProposalDecided | ProposalExecuted | ProposalVetoed, step: Step, state: str, **known: Any
) -> None:
    ended = {"state": state, "closed_at": event.at, "close_tx": step.signature}
    step.change(Proposal, event.proposal, event.seq, **ended, **known)
