"""Rules of stakes and locks in seconds."""

from __future__ import annotations

from anchor_client.generated import errors, instructions
from anchor_client.generated.types.market_parameter import MarketParameter as P

from .. import staking
from ..actors import TENANT
from ..governance import STAKE, VOTING_PERIOD, proposed, put_stake, with_stake
from ..terms import DAY
from ..world import World
from .rule import Timed, rule


@rule("stake that leaves", P.EPOCH_SECONDS, error=errors.StakeCooling, gain="its owner's stake, so much earlier")
def _withdraw(world: World) -> Timed:
    world.act(staking.stake(), staking.unstake())
    return staking.withdraw_stake, world.now + staking.EPOCH


@rule(
    "locked tokens that leave",
    P.MFP_UNLOCK_DELAY,
    error=errors.LockNotOver,
    gain="its owner's tokens, so much earlier",
)
def _unlock(world: World) -> Timed:
    world.act(staking.lock_mfp(), staking.unlock_mfp())
    return staking.withdraw_mfp, world.now + 7 * DAY


@rule(
    "stake that has voted",
    P.VOTING_PERIOD,
    error=errors.VoteLocked,
    gain="its owner's cool-down begins so much earlier; the vote counts all the same",
)
def _unstake(world: World) -> Timed:
    proposal = proposed(with_stake(world))
    world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))
    return lambda: staking.unstake(TENANT, STAKE), world.now + VOTING_PERIOD


@rule(
    "close of a stake account that has voted",
    P.VOTING_PERIOD,
    error=errors.VoteLocked,
    gain="the account's rent, so much earlier",
)
def _close(world: World) -> Timed:
    put_stake(world, TENANT, 0, voting_until=world.now + 100)
    return lambda: staking.close_stake(TENANT), world.now + 100
