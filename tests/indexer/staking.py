"""Staking and locks in the small market: its authority opens them, and wallets use them."""

from __future__ import annotations

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated import pdas
from anchor_client.generated.accounts import StakePool, Vault
from anchor_client.generated.types import MarketParameter
from anchor_client.tokens import associated_token
from tests.markets.recorded import Market

EPOCH = 60
POOL = pdas.find_pool()[0]
CATALOG = pdas.find_catalog()[0]


def open_staking(market: Market) -> None:
    """The pool with rewards in both tokens and short epochs."""
    authority = market.authority.pubkey()
    for mint in (market.gpum, market.usdc):
        market.give(POOL, mint, 0)
    market.send(
        market.authority,
        market.parameter(MarketParameter.EPOCH_SECONDS, EPOCH),
        market.parameter(MarketParameter.MFP_UNLOCK_DELAY, EPOCH),
        ix.initialize_pool(authority=authority, pool_token=associated_token(POOL, market.gpum)),
        *(ix.add_reward_mint(authority=authority, mint=mint) for mint in (market.gpum, market.usdc)),
    )


def staker(market: Market) -> Keypair:
    """A wallet with both tokens."""
    key = Keypair()
    market.cluster.airdrop(key.pubkey(), 10**10)
    for mint in (market.gpum, market.usdc):
        market.give(key.pubkey(), mint, 10**12)
    return key


def stake(market: Market, key: Keypair, amount: int) -> Pubkey:
    """Stakes; gives the stake account."""
    market.send(
        key,
        ix.stake(
            amount=amount,
            owner=key.pubkey(),
            pool_token=associated_token(POOL, market.gpum),
            owner_token=associated_token(key.pubkey(), market.gpum),
        ),
    )
    return pdas.find_stake(key.pubkey())[0]


def unstake(market: Market, key: Keypair, amount: int) -> None:
    market.send(key, ix.unstake(amount=amount, owner=key.pubkey()))


def withdraw(market: Market, key: Keypair) -> None:
    market.send(
        key,
        ix.withdraw_stake(
            owner=key.pubkey(),
            pool_token=associated_token(POOL, market.gpum),
            owner_token=associated_token(key.pubkey(), market.gpum),
        ),
    )


def close(market: Market, key: Keypair) -> None:
    market.send(key, ix.close_stake(owner=key.pubkey()))


def come_and_go(market: Market) -> None:
    """A wallet stakes, thinks better of it and closes its account."""
    key = staker(market)
    stake(market, key, 5)
    unstake(market, key, 5)
    market.cluster.warp(EPOCH)
    withdraw(market, key)
    close(market, key)


def fund(market: Market, key: Keypair, mint: Pubkey, amount: int) -> None:
    market.send(
        key,
        ix.fund_rewards(
            stream=0 if mint == market.gpum else 1,
            amount=amount,
            funder=key.pubkey(),
            stream_token=associated_token(POOL, mint),
            funder_token=associated_token(key.pubkey(), mint),
        ),
    )


def claim(market: Market, key: Keypair, mint: Pubkey) -> None:
    market.send(
        key,
        ix.claim(
            stream=0 if mint == market.gpum else 1,
            owner=key.pubkey(),
            stream_token=associated_token(POOL, mint),
            owner_token=associated_token(key.pubkey(), mint),
        ),
    )


def next_epoch(market: Market) -> None:
    """Time passes to the end of the epoch that the clock is in."""
    pool = market.account(StakePool, POOL)
    now = market.cluster.clock.unix_timestamp
    missed = max(0, (now - pool.epoch_ends_at) // EPOCH + 1)
    market.cluster.warp(pool.epoch_ends_at + missed * EPOCH - now)


def sweep_fees(market: Market, mint: Pubkey) -> None:
    """A vault's fees are divided."""
    authority, vault = market.authority.pubkey(), market.vault(mint)
    act = ix.sweep_fees(
        caller=authority,
        vault=vault,
        vault_data=market.account(Vault, vault),
        treasury_token=associated_token(authority, mint),
    )
    market.send(market.authority, act)


def sweep_stakers(market: Market, mint: Pubkey) -> None:
    """The stakers' share of fees that were swept goes to their rewards."""
    authority, vault = market.authority.pubkey(), market.vault(mint)
    act = ix.sweep_stakers(caller=authority, vault=vault, vault_data=market.account(Vault, vault))
    market.send(market.authority, act)


def busy_stakers(market: Market) -> tuple[Keypair, Keypair]:
    """Two stakers through every act of staking, and the host through every act of the lock; gives the stakers."""
    open_staking(market)
    first, second = staker(market), staker(market)
    stake(market, first, 3_000_000)
    stake(market, second, 1_000_000)
    next_epoch(market)
    fund(market, second, market.usdc, 1_001)
    fund(market, first, market.gpum, 5_000)
    next_epoch(market)
    unstake(market, second, 400_000)
    market.cluster.warp(EPOCH // 2)
    next_epoch(market)
    claim(market, first, market.usdc)
    market.send(first, ix.compound(owner=first.pubkey()))
    next_epoch(market)
    withdraw(market, second)
    stake(market, second, 7)
    market.cluster.warp(5 * EPOCH)
    market.send(second, ix.advance_epoch())
    lock(market)
    return first, second


def lock(market: Market) -> None:
    """The catalog changes under a listing, and the host locks, unlocks and takes back."""
    authority, host = market.authority.pubkey(), market.host_key.pubkey()
    catalog_token, host_token = associated_token(CATALOG, market.gpum), associated_token(host, market.gpum)
    market.send(
        market.authority,
        ix.set_gpu_points(model=1, points=120, authority=authority),
        ix.refresh_points(caller=authority, listing=market.listings[0], host=market.host),
    )
    market.send(
        market.host_key,
        ix.lock_mfp(
            amount=9_000, authority=host, host=market.host, catalog_token=catalog_token, authority_token=host_token
        ),
        ix.unlock_mfp(amount=4_000, authority=host, host=market.host),
    )
    market.cluster.warp(EPOCH)
    market.send(
        market.host_key,
        ix.withdraw_mfp(authority=host, host=market.host, catalog_token=catalog_token, authority_token=host_token),
    )
    market.beat()
