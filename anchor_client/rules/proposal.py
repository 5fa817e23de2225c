"""Stages of a proposal and the tally of its votes: twin of `programs/gpu_market/src/state/proposal.rs`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from anchor_client.generated.constants import EXECUTION_WINDOW, QUEUE_WINDOW
from anchor_client.generated.types.proposal_state import ProposalState
from anchor_client.rules.math import share_ceil

if TYPE_CHECKING:
    from anchor_client.generated.accounts.proposal import Proposal


class ProposalStage(StrEnum):
    """voting -> ended -> queued -> due -> executed; or expired, defeated, cancelled or vetoed."""

    VOTING = "voting"
    ENDED = "ended"
    QUEUED = "queued"
    DUE = "due"
    EXPIRED = "expired"
    EXECUTED = "executed"
    DEFEATED = "defeated"
    CANCELLED = "cancelled"
    VETOED = "vetoed"

    @property
    def is_over(self) -> bool:
        """True where the stage is final, so that the proposal may be closed."""
        return self not in (ProposalStage.VOTING, ProposalStage.ENDED, ProposalStage.QUEUED, ProposalStage.DUE)


@dataclass(frozen=True, slots=True)
class Tally:
    """Votes in base units of stake, with what would pass: `quorum` must vote, `needed` of those cast in favour."""

    votes_for: int
    votes_against: int
    quorum: int
    needed: int

    @property
    def cast(self) -> int:
        return self.votes_for + self.votes_against

    @property
    def passes(self) -> bool:
        """True where the votes cast so far would pass."""
        return self.cast >= self.quorum and self.votes_for >= self.needed


def stage_of(state: ProposalState, ends_at: int, execute_at: int, now: int) -> ProposalStage:
    """The stage of a proposal at a time, unix seconds."""
    match state:
        case ProposalState.VOTING if now < ends_at:
            return ProposalStage.VOTING
        case ProposalState.VOTING:
            if now < ends_at + QUEUE_WINDOW:
                return ProposalStage.ENDED
            return ProposalStage.EXPIRED
        case ProposalState.QUEUED if now < execute_at:
            return ProposalStage.QUEUED
        case ProposalState.QUEUED:
            if now < execute_at + EXECUTION_WINDOW:
                return ProposalStage.DUE
            return ProposalStage.EXPIRED
        case _:
            return ProposalStage[state.name]


def proposal_stage(proposal: Proposal, now: int) -> ProposalStage:
    """The stage of a proposal's account at a time."""
    return stage_of(ProposalState(proposal.state), proposal.ends_at, proposal.execute_at, now)


def tally_of(proposal: Any) -> Tally:
    """The votes of a proposal's account or row against what they must reach, rounded up as the program does."""
    quorum = max(1, share_ceil(proposal.eligible, proposal.quorum_bps))
    needed = share_ceil(proposal.votes_for + proposal.votes_against, proposal.threshold_bps)
    return Tally(proposal.votes_for, proposal.votes_against, quorum, needed)
