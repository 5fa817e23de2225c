"""Decisions that stakers vote for."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.pdas import find_governance, find_proposal, find_vote_record
from anchor_client.generated.types.action import Action, ActionTreasuryTransfer
from anchor_client.generated.types.proposal_state import ProposalState
from anchor_client.market.governance.execution import action_of
from anchor_client.rules.stake_account import active_at
from anchor_idl.runtime.structs import Event

from ..harness.actors import AUTHORITY
from ..harness.governance import execute, hand_over, propose
from ..harness.staking import stake_of
from ..harness.terms import DAY
from .actions import UNDECIDED, actions, transfers
from .base import keepers, which
from .market import MarketRules
from .staking import StakingRules
from .tally import Tally


class GovernanceRules(MarketRules, StakingRules):
    def __init__(self, tally: Tally | None = None) -> None:
        super().__init__(tally)
        self.proposals: list[Pubkey] = []
        """Those that have not come to their end, as events say."""
        self.ballots: list[tuple[Pubkey, Pubkey]] = []
        """Proposals and their voters, as long as the vote's record is there."""

    def hear(self, event: Event) -> None:
        super().hear(event)
        match event:
            case events.ProposalCreated():
                self.proposals.append(event.proposal)
            case events.ProposalCancelled() | events.ProposalExecuted():
                self.proposals.remove(event.proposal)
            case events.ProposalDecided(state=ProposalState.DEFEATED):
                self.proposals.remove(event.proposal)
            case events.VoteCast():
                self.ballots.append((event.proposal, event.voter))
            case events.VoteClosed():
                self.ballots.remove((event.proposal, event.voter))

    def proposal(self, index: int) -> Pubkey:
        """One of the last, which are more likely to be open still."""
        return self.proposals[-1 - index % len(self.proposals)]

    @precondition(lambda self: self.stakers)
    @rule(index=which, action=st.one_of(actions, transfers))
    def propose(self, index: int, action: Action) -> None:
        self.attempt(propose(self.world, action, self.staker(index)), errors.StakeTooSmall)

    def proposed(self, action: Action) -> Pubkey | None:
        """A new proposal; all stake before if nobody has enough. None if that is not enough either."""
        if not self.able_to_propose():
            self.stake_together(0)
        if not self.able_to_propose():
            return None
        proposal = find_proposal(self.world.market().next_proposal)[0]
        self.act(propose(self.world, action, self.able_to_propose()[0]))
        return proposal

    @rule(action=st.one_of(actions, transfers), seconds=st.integers(0, 5 * DAY))
    def think_better_of(self, action: Action, seconds: int) -> None:
        """A proposer cancels a proposal while there is time."""
        proposal = self.proposed(action)
        if proposal is not None:
            self.world.wait(seconds)
            proposer = self.world.read(Proposal, proposal).proposer
            self.attempt(instructions.cancel_proposal(proposer=proposer, proposal=proposal), errors.VoteEnded)

    @precondition(lambda self: self.stakers and self.proposals)
    @rule(index=which, number=which, support=st.booleans())
    def vote(self, index: int, number: int, support: bool) -> None:
        proposal, voter = self.proposal(number), self.staker(index)
        if not self.world.exists(find_vote_record(proposal, voter)[0]):
            act = instructions.vote(voter=voter, proposal=proposal, support=support)
            self.attempt(act, errors.VoteEnded, errors.NoActiveStake, errors.WrongProposalState)

    @precondition(lambda self: self.proposals)
    @rule(number=which, early=st.integers(0, 1), keeper=keepers)
    def go_on(self, number: int, early: int, keeper: Pubkey) -> None:
        """Anyone brings a proposal one step further, around the time when it may go."""
        proposal = self.proposal(number)
        state = self.world.read(Proposal, proposal)
        if state.state == ProposalState.VOTING:
            self.wait_until(state.ends_at - early)
            self.attempt(instructions.queue_proposal(proposal=proposal), errors.VoteOpen)
        else:
            self.wait_until(state.execute_at - early)
            self.execute(proposal, keeper)

    def execute(self, proposal: Pubkey, keeper: Pubkey) -> None:
        action = action_of(self.world.read(Proposal, proposal))
        is_decided = self.world.market().authority == find_governance()[0]
        if isinstance(action, ActionTreasuryTransfer) or self.is_possible(action):
            refusals = () if is_decided else (errors.Unauthorized,)
            act = execute(self.world, proposal, keeper)
            self.attempt(act, errors.TimelockRunning, errors.ProposalExpired, *UNDECIDED, *refusals)
            self.add_vaults()

    @rule(action=st.one_of(actions, transfers), keeper=keepers, handed_over=st.booleans())
    def enact(self, action: Action, keeper: Pubkey, handed_over: bool) -> None:
        """All stakers vote for an action, whose time comes; the authority may have handed the market over to them."""
        proposal = self.proposed(action)
        if proposal is None:
            return
        if handed_over and self.world.market().authority == AUTHORITY:
            self.act(hand_over())
        for voter in self.stakers:
            act = instructions.vote(voter=voter, proposal=proposal, support=True)
            self.attempt(act, errors.NoActiveStake)
        for _ in ("vote", "timelock"):
            if proposal in self.proposals:
                self.go_on(self.proposals[::-1].index(proposal), 0, keeper)
        self.beat()

    def able_to_propose(self) -> list[Pubkey]:
        """Stakers with enough of active stake."""
        least = max(1, self.world.market().proposal_stake)
        return [owner for owner in self.stakers if active_at(stake_of(self.world, owner), self.now) >= least]

    @precondition(lambda self: self.ballots)
    @rule()
    def clear_ballots(self) -> None:
        """Anyone gives voters their rent back."""
        for proposal, voter in list(self.ballots):
            self.attempt(instructions.close_vote(proposal=proposal, voter=voter), errors.VoteOpen)

    def end_votes(self) -> None:
        """Every voter has their rent back."""
        for proposal, voter in list(self.ballots):
            self.act(instructions.close_vote(proposal=proposal, voter=voter)).event(events.VoteClosed)
