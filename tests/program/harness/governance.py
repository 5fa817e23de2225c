"""Stake that may vote, and proposals brought to a state by the acts that lead there."""

from __future__ import annotations

from typing import Any

from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.pdas import find_governance, find_proposal
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.action import Action, ActionSetParameter
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.market.governance.execution import remaining_accounts
from tests.markets.stake import pooled, staked

from .actors import AUTHORITY, KEEPER, RENTER, RIVAL, TENANT
from .cluster import START
from .staking import EPOCH, next_epoch, stake
from .terms import DAY
from .world import World

GOVERNANCE = find_governance()[0]
VOTING_PERIOD = 3 * DAY
TIMELOCK = DAY
UNIT = 10**6
STAKE = 600_000 * UNIT
"""What each staker has staked, in base units."""
BEGIN = START + EPOCH
"""When stake that was placed at the start becomes active."""
STAKERS = (RENTER, TENANT, RIVAL)
TIP: Action = ActionSetParameter(MarketParameter.TIP_LAMPORTS, 7)


def with_stake(world: World) -> World:
    """Three stakers whose stake, the same, has just become active, and nothing else in the pool."""
    world.act(*(stake(owner, STAKE) for owner in STAKERS))
    next_epoch(world)
    return world


def put_stake(world: World, owner: Pubkey, active: int, **fields: Any) -> Pubkey:
    """Gives a wallet this stake, as no transaction could at once; the audit stops here."""
    return _put(world, *staked(owner, active, **fields))


def put_pool(world: World, active: int, warming: int = 0) -> Pubkey:
    """Gives the pool this stake; the audit stops here."""
    return _put(world, *pooled(active, warming=warming))


def hand_over(authority: Pubkey = AUTHORITY) -> Instruction:
    return instructions.hand_over(authority=authority)


def propose(world: World, action: Action = TIP, proposer: Pubkey = RENTER, **given: Any) -> Instruction:
    number = world.market().next_proposal
    return instructions.create_proposal(
        **{"proposer": proposer, "id": number, "action": action, "title": "why", **given}
    )


def proposed(world: World, action: Action = TIP, proposer: Pubkey = RENTER) -> Pubkey:
    """A proposal whose vote has just opened."""
    proposal = find_proposal(world.market().next_proposal)[0]
    world.act(propose(world, action, proposer))
    return proposal


def voted(world: World, action: Action = TIP) -> Pubkey:
    """A proposal that all stake has voted for, whose vote has just ended."""
    proposal = proposed(world, action)
    world.act(*(instructions.vote(voter=voter, proposal=proposal, support=True) for voter in STAKERS))
    world.wait(VOTING_PERIOD)
    return proposal


def queued(world: World, action: Action = TIP) -> Pubkey:
    """A proposal whose timelock has just started."""
    proposal = voted(world, action)
    world.act(instructions.queue_proposal(proposal=proposal))
    return proposal


def due(world: World, action: Action = TIP) -> Pubkey:
    """A proposal that may be executed from now on."""
    proposal = queued(world, action)
    world.wait(TIMELOCK)
    return proposal


def execute(world: World, proposal: Pubkey, caller: Pubkey = KEEPER, **given: Any) -> Instruction:
    """Executes with the accounts of the proposal's action; `metas` replace them."""
    metas: list[AccountMeta] = given.pop("metas", None) or remaining_accounts(world.read(Proposal, proposal))
    return instructions.execute_proposal(**{"caller": caller, "proposal": proposal, **given}, remaining_accounts=metas)


def enacted(world: World, action: Action) -> None:
    """Votes an action through and executes it; the hosts are silent meanwhile."""
    world.act(execute(world, due(world, action)))


def _put(world: World, address: Pubkey, data: bytes) -> Pubkey:
    world.cluster.observers.clear()
    world.cluster.set_account(address, Account(world.cluster.rent(len(data)), data, PROGRAM_ID))
    return address
