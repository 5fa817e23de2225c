"""Stake that may vote, and proposals brought to a state by the acts that lead there."""

from __future__ import annotations

from typing import Any

from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.pdas import find_governance, find_proposal, find_stake
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.action import Action, ActionSetParameter
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.market.governance.execution import remaining_accounts
from tests.markets.stake import pooled, staked

from .actors import AUTHORITY, GUARDIAN, KEEPER, RENTER, RIVAL, TENANT
from .cluster import START
from .staking import EPOCH, next_epoch, stake, stake_of
from .terms import DAY
from .world import World

GOVERNANCE = find_governance()[0]
VOTING_PERIOD = 3 * DAY
TIMELOCK = DAY
CRITICAL_TIMELOCK = 8 * DAY
UNIT = 10**6
STAKE = 600_000 * UNIT
"""Stake of each staker, in base units."""
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


def put_pool(world: World, active: int, **fields: Any) -> Pubkey:
    """Gives the pool this stake; the audit stops here."""
    return _put(world, *pooled(active, **fields))


def hand_over(authority: Pubkey = AUTHORITY) -> Instruction:
    return instructions.hand_over(authority=authority)


def propose(world: World, action: Action = TIP, proposer: Pubkey = RENTER, **given: Any) -> Instruction:
    nonce = next_nonce(world, proposer)
    return instructions.create_proposal(
        **{"proposer": proposer, "nonce": nonce, "action": action, "title": "why", **given}
    )


def next_nonce(world: World, proposer: Pubkey = RENTER) -> int:
    """Nonce of a wallet's next proposal; 0 where it has no stake."""
    return stake_of(world, proposer).next_proposal if world.exists(find_stake(proposer)[0]) else 0


def next_proposal(world: World, proposer: Pubkey = RENTER) -> Pubkey:
    """Address of a wallet's next proposal."""
    return find_proposal(proposer, next_nonce(world, proposer))[0]


def proposed(world: World, action: Action = TIP, proposer: Pubkey = RENTER) -> Pubkey:
    """A proposal whose vote has just opened; the proposer's last one, which is over, is closed."""
    proposal = next_proposal(world, proposer)
    last = stake_of(world, proposer).proposal
    closing = [] if last == Pubkey.default() else [close_proposal(world, last)]
    world.act(*closing, propose(world, action, proposer))
    return proposal


def close_proposal(world: World, proposal: Pubkey, **given: Any) -> Instruction:
    return instructions.close_proposal(
        **{"proposal": proposal, "proposal_data": world.read(Proposal, proposal), **given}
    )


def veto_proposal(proposal: Pubkey, guardian: Pubkey = GUARDIAN) -> Instruction:
    return instructions.veto_proposal(guardian=guardian, proposal=proposal)


def voted(world: World, action: Action = TIP, proposer: Pubkey = RENTER) -> Pubkey:
    """A proposal that all stake has voted for, whose vote has just ended."""
    proposal = proposed(world, action, proposer)
    world.act(*(instructions.vote(voter=voter, proposal=proposal, support=True) for voter in STAKERS))
    world.wait(VOTING_PERIOD)
    return proposal


def queued(world: World, action: Action = TIP, proposer: Pubkey = RENTER) -> Pubkey:
    """A proposal whose timelock has just started."""
    proposal = voted(world, action, proposer)
    world.act(instructions.queue_proposal(proposal=proposal))
    return proposal


def due(world: World, action: Action = TIP, proposer: Pubkey = RENTER) -> Pubkey:
    """A proposal that may be executed from now on."""
    proposal = queued(world, action, proposer)
    world.wait(world.read(Proposal, proposal).execute_at - world.now)
    return proposal


def execute(world: World, proposal: Pubkey, caller: Pubkey = KEEPER, **given: Any) -> Instruction:
    """Executes with the accounts of the proposal's action; `metas` replace them."""
    metas: list[AccountMeta] = given.pop("metas", None) or remaining_accounts(world.read(Proposal, proposal))
    return instructions.execute_proposal(**{"caller": caller, "proposal": proposal, **given}, remaining_accounts=metas)


def enacted(world: World, action: Action, proposer: Pubkey = RENTER) -> None:
    """Votes an action through and executes it; the hosts are silent meanwhile."""
    world.act(execute(world, due(world, action, proposer)))


def _put(world: World, address: Pubkey, data: bytes) -> Pubkey:
    world.cluster.observers.clear()
    world.cluster.set_account(address, Account(world.cluster.rent(len(data)), data, PROGRAM_ID))
    return address
