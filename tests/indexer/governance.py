"""Everything that governance can emit, in the recorded market."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated.pdas import find_host, find_proposal
from anchor_client.generated.types import Action, ActionApproveHost
from tests.markets.recorded import Market
from tests.program.harness import governance
from tests.program.harness.actors import HOST
from tests.program.harness.governance import TIMELOCK, VOTING_PERIOD, execute, hand_over
from tests.program.harness.staking import next_epoch, stake

STAKE = 400_000 * 10**6
TITLE = "Cheaper cranks"
REVOKE: Action = ActionApproveHost(find_host(HOST)[0], approved=False)


def stakers(market: Market, count: int = 2) -> list[Pubkey]:
    """Wallets whose stake, the same, has just become active."""
    owners = [market.wallet() for _ in range(count)]
    market.act(*(stake(owner, STAKE) for owner in owners))
    next_epoch(market)
    return owners


def propose(market: Market, proposer: Pubkey, action: Action = REVOKE, title: str = "Why not") -> Pubkey:
    """A proposal whose vote has just opened."""
    number = market.market().next_proposal
    market.act(governance.propose(market, action, proposer, title=title))
    return find_proposal(number)[0]


def vote(market: Market, voter: Pubkey, proposal: Pubkey, *, support: bool) -> None:
    market.act(ix.vote(support=support, voter=voter, proposal=proposal))


def govern(market: Market) -> list[Pubkey]:
    """Hands the market over and votes: an executed, a queued, a defeated, a cancelled and an open proposal."""
    first, second = stakers(market)
    market.act(hand_over())
    executed, queued = propose(market, first, governance.TIP, TITLE), propose(market, second)
    defeated, cancelled = propose(market, first), propose(market, first)
    for proposal in (executed, queued):
        vote(market, first, proposal, support=True)
        vote(market, second, proposal, support=True)
    vote(market, second, defeated, support=False)
    market.act(ix.cancel_proposal(proposer=first, proposal=cancelled))
    market.wait(VOTING_PERIOD)
    open_ = propose(market, second)
    for proposal in (executed, defeated, queued):
        market.act(ix.queue_proposal(proposal=proposal))
    market.wait(TIMELOCK)
    market.act(execute(market, executed))
    market.act(ix.close_vote(proposal=executed, voter=first))
    return [executed, queued, defeated, cancelled, open_]
