"""Acts of stakers, and of the host with its lock, in the recorded market."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.constants import NONCES_PER_SLOT
from anchor_client.generated.types import MarketParameter
from tests.markets.recorded import Market
from tests.program.harness import staking
from tests.program.harness.actors import RENTER, TREASURY, USDC
from tests.program.harness.changes import set_parameter
from tests.program.harness.flows import running
from tests.program.harness.staking import EPOCH, next_epoch
from tests.program.harness.tokens import token_address


def come_and_go(market: Market) -> None:
    """A wallet stakes, thinks better of it and closes its account; then the same as a renter."""
    owner = market.wallet()
    staking.emptied(market, owner)
    market.act(staking.close_stake(owner))
    market.act(market.register_renter(owner, first_nonce=(market.cluster.slot + 1) * NONCES_PER_SLOT))
    for _ in range(2):
        market.node.warp(0)  # a slot
    market.act(instructions.close_renter(wallet=owner))


def busy_stakers(market: Market) -> tuple[Pubkey, Pubkey]:
    """Two stakers through every act of staking, and the host through every act of the lock; gives the stakers."""
    first, second = market.wallet(), market.wallet()
    market.act(staking.stake(first, 3_000_000))
    market.act(staking.stake(second, 1_000_000))
    next_epoch(market)
    market.act(staking.fund_rewards(1_001, USDC, second))
    market.act(staking.fund_rewards(5_000, funder=first))
    next_epoch(market)
    market.act(staking.unstake(second, 400_000))
    market.wait(EPOCH // 2)
    next_epoch(market)
    market.act(staking.claim(first, USDC))
    market.act(staking.compound(first))
    next_epoch(market)
    market.act(staking.withdraw_stake(second))
    market.act(staking.stake(second, 7))
    market.wait(5 * EPOCH)
    market.act(staking.advance_epoch())
    lock(market)
    return first, second


def lock(market: Market) -> None:
    """The catalog changes under a listing, and the host locks, unlocks and takes back."""
    market.act(set_parameter(MarketParameter.MFP_UNLOCK_DELAY, EPOCH))
    market.act(staking.set_gpu_model(1, 120), staking.refresh_listing())
    market.act(staking.lock_mfp(amount=9_000), staking.unlock_mfp(amount=4_000))
    market.wait(EPOCH)
    market.act(staking.withdraw_mfp())
    market.beat()


def released(market: Market) -> None:
    """The stakers' share of fees in a fifth mint has gone to the treasury."""
    staking.put_fifth_mint(market)
    market.act(market.register_renter(RENTER))
    market.beat()
    rental = running(market, mint=staking.FIFTH)
    market.pass_time(200)
    market.act(market.stop_rental(rental), market.sweep_fees(staking.FIFTH))
    staking.fill_pool(market)
    market.act(staking.sweep_stakers(staking.FIFTH, stream_token=token_address(TREASURY, staking.FIFTH)))
