"""Everything that governance can emit, in a small market."""

from __future__ import annotations

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated import pdas
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.accounts import Proposal
from anchor_client.generated.types import Action, ActionApproveHost, ActionSetParameter, MarketParameter
from anchor_client.market.governance.execution import execution
from tests.indexer.staking import POOL, open_staking, stake
from tests.markets.recorded import SOL, Market

EPOCH = 86_400
STAKE = 400_000 * 10**6
VOTING_PERIOD = 259_200
TIMELOCK = 86_400
CHEAPER = ActionSetParameter(MarketParameter.TIP_LAMPORTS, 7)


def stakers(market: Market, count: int = 2) -> list[Keypair]:
    """Wallets whose stake, the same, has just become active."""
    if market.cluster.account(POOL) is None:
        open_staking(market)
    keys = [Keypair() for _ in range(count)]
    for key in keys:
        market.cluster.airdrop(key.pubkey(), SOL)
        market.give(key.pubkey(), market.gpum, STAKE)
        stake(market, key, STAKE)
    market.cluster.warp(EPOCH)
    return keys


def propose(market: Market, proposer: Keypair, action: Action, title: str = "Why not") -> Pubkey:
    number = market.account(MarketAccount, pdas.find_market()[0]).next_proposal
    market.send(proposer, ix.create_proposal(id=number, action=action, title=title, proposer=proposer.pubkey()))
    return pdas.find_proposal(number)[0]


def vote(market: Market, voter: Keypair, proposal: Pubkey, *, support: bool) -> None:
    market.send(voter, ix.vote(support=support, voter=voter.pubkey(), proposal=proposal))


def govern(market: Market) -> list[Pubkey]:
    """Hands the market over and votes: an executed, a queued, a defeated, a cancelled and an open proposal."""
    first, second = stakers(market)
    market.send(market.authority, ix.hand_over(authority=market.authority.pubkey()))
    revoke = ActionApproveHost(market.host, approved=False)
    executed, queued = propose(market, first, CHEAPER, "Cheaper cranks"), propose(market, second, revoke)
    defeated, cancelled = propose(market, first, revoke), propose(market, first, revoke)
    for proposal in (executed, queued):
        vote(market, first, proposal, support=True)
        vote(market, second, proposal, support=True)
    vote(market, second, defeated, support=False)
    market.send(first, ix.cancel_proposal(proposer=first.pubkey(), proposal=cancelled))
    market.cluster.warp(VOTING_PERIOD)
    open_ = propose(market, second, revoke)
    for proposal in (executed, defeated, queued):
        market.send(first, ix.queue_proposal(proposal=proposal))
    market.cluster.warp(TIMELOCK)
    market.send(second, *execution(market.account(Proposal, executed), second.pubkey()))
    market.send(second, ix.close_vote(proposal=executed, voter=first.pubkey()))
    return [executed, queued, defeated, cancelled, open_]
