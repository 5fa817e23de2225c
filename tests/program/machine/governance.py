"""Decisions that stakers vote for."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.pdas import find_governance, find_vote_record
from anchor_client.generated.types.action import Action, ActionTreasuryTransfer
from anchor_client.generated.types.proposal_state import ProposalState
from anchor_client.market.governance.execution import action_of
from anchor_client.rules.market import stake_to_propose
from anchor_client.rules.stake_account import active_at, votes_since
from anchor_idl.runtime.structs import Event

from ..harness.actors import AUTHORITY
from ..harness.governance import close_proposal, execute, hand_over, next_proposal, propose, veto_proposal
from ..harness.staking import pool_of, stake_of
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
            case events.ProposalCancelled() | events.ProposalExecuted() | events.ProposalVetoed():
                self.proposals.remove(event.proposal)
            case events.ProposalDecided(state=ProposalState.DEFEATED):
                self.proposals.remove(event.proposal)
            case events.ProposalClosed() if event.proposal in self.proposals:
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
        self.attempt(propose(self.world, action, self.staker(index)), errors.StakeTooSmall, errors.ProposalLive)

    def proposed(self, action: Action) -> Pubkey | None:
        """A new proposal; all stake before if nobody has enough. None if that is not enough either."""
        self.close_proposals()
        if not self.able_to_propose():
            self.stake_together(0)
        if not self.able_to_propose():
            return None
        proposer = self.able_to_propose()[0]
        proposal = next_proposal(self.world, proposer)
        self.act(propose(self.world, action, proposer))
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
            self.cast(voter, proposal, support)

    @precondition(lambda self: self.proposals)
    @rule(number=which, early=st.integers(0, 1), keeper=keepers)
    def go_on(self, number: int, early: int, keeper: Pubkey) -> None:
        """Anyone brings a proposal one step further, around the time when it may go."""
        proposal = self.proposal(number)
        state = self.world.read(Proposal, proposal)
        if state.state == ProposalState.VOTING:
            self.wait_until(state.ends_at - early)
            self.attempt(instructions.queue_proposal(proposal=proposal), errors.VoteOpen, errors.ProposalExpired)
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
            self.attempt(hand_over(), errors.StakeTooSmall)
        for voter in self.stakers:
            self.cast(voter, proposal, support=True)
        for _ in ("vote", "timelock"):
            if proposal in self.proposals:
                self.go_on(self.proposals[::-1].index(proposal), 0, keeper)
        self.beat()

    def cast(self, voter: Pubkey, proposal: Pubkey, support: bool) -> None:
        """Votes; what has been active since the proposal opened is what counts."""
        weight = votes_since(stake_of(self.world, voter), self.world.read(Proposal, proposal).created_at)
        act = instructions.vote(voter=voter, proposal=proposal, support=support)
        outcome = self.attempt(act, errors.VoteEnded, errors.NoActiveStake, errors.WrongProposalState)
        assert outcome is None or outcome.event(events.VoteCast).weight == weight

    @precondition(lambda self: self.proposals)
    @rule(number=which)
    def veto(self, number: int) -> None:
        """The guardian tries to stop what was voted for."""
        act = veto_proposal(self.proposal(number), self.world.audit.rights.guardian)
        self.attempt(act, errors.WrongProposalState, errors.NotCritical)

    @rule(action=transfers, keeper=keepers)
    def stop_payment(self, action: Action, keeper: Pubkey) -> None:
        """All stakers vote for a payment, which the guardian stops while it waits."""
        proposal = self.proposed(action)
        if proposal is None:
            return
        for voter in self.stakers:
            self.cast(voter, proposal, support=True)
        self.go_on(self.proposals[::-1].index(proposal), 0, keeper)
        if proposal in self.proposals:
            self.act(veto_proposal(proposal, self.world.audit.rights.guardian))
        self.beat()

    @rule()
    def close_proposals(self) -> None:
        """Anyone gives proposers their rent back."""
        for owner in self.stakers:
            proposal = stake_of(self.world, owner).proposal
            if proposal != Pubkey.default():
                self.attempt(close_proposal(self.world, proposal), errors.ProposalNotOver)

    def able_to_propose(self) -> list[Pubkey]:
        """Stakers with enough of active stake and no live proposal."""
        pool = pool_of(self.world)
        eligible = pool.active + (pool.warming if self.now >= pool.epoch_ends_at else 0)
        least = stake_to_propose(self.world.market(), eligible)
        accounts = {owner: stake_of(self.world, owner) for owner in self.stakers}
        return [
            owner
            for owner, account in accounts.items()
            if active_at(account, self.now) >= least and account.proposal == Pubkey.default()
        ]

    @precondition(lambda self: self.ballots)
    @rule()
    def clear_ballots(self) -> None:
        """Anyone gives voters their rent back."""
        for proposal, voter in list(self.ballots):
            self.attempt(instructions.close_vote(proposal=proposal, voter=voter), errors.VoteOpen)

    def end_proposals(self) -> None:
        """Every proposer has their rent back, and no proposal is left."""
        self.close_proposals()
        assert not self.proposals

    def end_votes(self) -> None:
        """Every voter has their rent back."""
        for proposal, voter in list(self.ballots):
            self.act(instructions.close_vote(proposal=proposal, voter=voter)).event(events.VoteClosed)
