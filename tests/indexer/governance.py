"""Everything that governance can emit, in the recorded market."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types import Action, ActionApproveHost, ActionTreasuryTransfer
from tests.markets.recorded import Market
from tests.program.harness import governance
from tests.program.harness.actors import GPUM, HOST
from tests.program.harness.governance import TIMELOCK, VOTING_PERIOD, execute, hand_over
from tests.program.harness.staking import next_epoch, stake

STAKE = 400_000 * 10**6
TITLE = "Cheaper cranks"
PAY: Action = ActionTreasuryTransfer(GPUM, HOST, 1)
REVOKE: Action = ActionApproveHost(find_host(HOST)[0], approved=False, subsidy_budget=5)


def stakers(market: Market, count: int = 2) -> list[Pubkey]:
    """Wallets whose stake, the same, has just become active."""
    owners = [market.wallet() for _ in range(count)]
    market.act(*(stake(owner, STAKE) for owner in owners))
    next_epoch(market)
    return owners


def propose(market: Market, proposer: Pubkey, action: Action = REVOKE, title: str = "Why not") -> Pubkey:
    """A proposal whose vote has just opened."""
    proposal = governance.next_proposal(market, proposer)
    market.act(governance.propose(market, action, proposer, title=title))
    return proposal


def vote(market: Market, voter: Pubkey, proposal: Pubkey, *, support: bool) -> None:
    market.act(ix.vote(support=support, voter=voter, proposal=proposal))


def govern(market: Market) -> list[Pubkey]:
    """Hands the market over and votes: an executed, a queued, a defeated, a cancelled, an open, and a vetoed proposal.

    The cancelled one is closed.
    """
    first, second, third, fourth, fifth = stakers(market, 5)
    market.act(hand_over())
    executed, queued = propose(market, first, governance.TIP, TITLE), propose(market, second)
    defeated, cancelled = propose(market, third), propose(market, fourth)
    for proposal in (executed, queued):
        vote(market, first, proposal, support=True)
        vote(market, second, proposal, support=True)
    vote(market, second, defeated, support=False)
    market.act(ix.cancel_proposal(proposer=fourth, proposal=cancelled))
    market.act(governance.close_proposal(market, cancelled))
    vetoed = propose(market, fourth, PAY)
    for voter in (first, second):
        vote(market, voter, vetoed, support=True)
    market.wait(VOTING_PERIOD)
    open_ = propose(market, fifth)
    for proposal in (executed, defeated, queued, vetoed):
        market.act(ix.queue_proposal(proposal=proposal))
    market.act(governance.veto_proposal(vetoed, market.market().guardian))
    market.wait(TIMELOCK)
    market.act(execute(market, executed))
    market.act(ix.close_vote(proposal=executed, voter=first))
    return [executed, queued, defeated, cancelled, vetoed, open_]
