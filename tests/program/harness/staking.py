"""Staking and MFP acts of the seeded market; every argument has the seeded market's value."""

from __future__ import annotations

from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.accounts.catalog import Catalog
from anchor_client.generated.accounts.gpu_model import GpuModel
from anchor_client.generated.accounts.stake_account import StakeAccount
from anchor_client.generated.accounts.stake_pool import StakePool
from anchor_client.generated.pdas import find_catalog, find_gpu_model, find_host, find_pool, find_stake, find_vault
from anchor_client.generated.types.gpu_terms import GpuTerms

from .actors import AUTHORITY, GPUM, HOST, KEEPER, LISTING, MINTS, RENTER, STRANGER, TREASURY
from .cluster import Cluster
from .keys import address
from .terms import REFERENCE_USD, USDC_TERMS
from .tokens import payout_address, put_mint, put_tokens, token_address
from .world import World

POOL = find_pool()[0]
CATALOG = find_catalog()[0]
FIFTH = address("fifth mint")
"""A mint that no stream pays in."""
TOKEN = 1_000_000
"""Base units of a whole market token."""
EPOCH = 86_400
STREAMS = {mint: number for number, mint in enumerate(MINTS)}
"""Numbers of the seeded reward streams."""


def open_staking(world: World) -> None:
    """The pool with a stream of every mint, and the catalog with the seeded listings' model."""
    put_pool_tokens(world.cluster)
    world.act(
        instructions.initialize_pool(authority=AUTHORITY, pool_token=token_address(POOL, GPUM)),
        *(add_reward_mint(mint) for mint in MINTS),
    )
    world.act(
        instructions.initialize_catalog(authority=AUTHORITY, catalog_token=token_address(CATALOG, GPUM)),
        set_gpu_model(1, 100, REFERENCE_USD),
    )


def put_pool_tokens(cluster: Cluster) -> None:
    """The token accounts that the pool and the catalog keep."""
    for mint in MINTS:
        put_tokens(cluster, mint, POOL, 0)
    put_tokens(cluster, GPUM, CATALOG, 0)


def pool_of(world: World) -> StakePool:
    return world.read(StakePool, POOL)


def catalog_of(world: World) -> Catalog:
    return world.read(Catalog, CATALOG)


def gpu_model_of(world: World, number: int = 1) -> GpuModel:
    return world.read(GpuModel, find_gpu_model(number)[0])


def stake_of(world: World, owner: Pubkey = RENTER) -> StakeAccount:
    return world.read(StakeAccount, find_stake(owner)[0])


def next_epoch(world: World, into: int = 0) -> None:
    """Time passes to `into` seconds after the end of the epoch that now belongs to, as anyone would advance it."""
    pool = pool_of(world)
    missed = max(0, (world.now - pool.epoch_ends_at) // EPOCH + 1)
    world.wait(pool.epoch_ends_at + missed * EPOCH + into - world.now)


def staked(world: World, amount: int, owner: Pubkey = RENTER) -> Pubkey:
    """Stakes and lets it warm up; the new epoch has just begun. Gives the stake account."""
    world.act(stake(owner, amount))
    next_epoch(world)
    return find_stake(owner)[0]


def add_reward_mint(mint: Pubkey, **accounts: Any) -> Instruction:
    given: dict[str, Any] = {
        "authority": AUTHORITY,
        "mint": mint,
        "stream_token": token_address(POOL, mint),
        **accounts,
    }
    return instructions.add_reward_mint(**given)


def stake(owner: Pubkey = RENTER, amount: int = TOKEN, **accounts: Any) -> Instruction:
    return instructions.stake(**{**_with_tokens(owner), **accounts}, amount=amount)


def unstake(owner: Pubkey = RENTER, amount: int = TOKEN, **accounts: Any) -> Instruction:
    return instructions.unstake(**{"owner": owner, **accounts}, amount=amount)


def withdraw_stake(owner: Pubkey = RENTER, **accounts: Any) -> Instruction:
    return instructions.withdraw_stake(**{**_with_tokens(owner), **accounts})


def close_stake(owner: Pubkey = RENTER, **accounts: Any) -> Instruction:
    return instructions.close_stake(**{"owner": owner, **accounts})


def emptied(world: World, owner: Pubkey = RENTER) -> Pubkey:
    """Stakes and takes it all back; gives the empty account."""
    world.act(stake(owner), unstake(owner))
    world.wait(EPOCH)
    world.act(withdraw_stake(owner))
    return find_stake(owner)[0]


def claim(owner: Pubkey = RENTER, mint: Pubkey = GPUM, **accounts: Any) -> Instruction:
    stream = accounts.pop("stream", STREAMS.get(mint))
    given: dict[str, Any] = {
        "owner": owner,
        "stream_token": token_address(POOL, mint),
        "owner_payout": payout_address(owner, mint),
        **accounts,
    }
    return instructions.claim(**given, stream=stream)


def compound(owner: Pubkey = RENTER, **accounts: Any) -> Instruction:
    return instructions.compound(**{"owner": owner, **accounts})


def fund_rewards(amount: int, mint: Pubkey = GPUM, funder: Pubkey = STRANGER, **accounts: Any) -> Instruction:
    stream = accounts.pop("stream", STREAMS.get(mint))
    given: dict[str, Any] = {
        "funder": funder,
        "stream_token": token_address(POOL, mint),
        "funder_token": token_address(funder, mint),
        **accounts,
    }
    return instructions.fund_rewards(**given, stream=stream, amount=amount)


def sweep_stakers(mint: Pubkey = GPUM, shard: int = 0, **accounts: Any) -> Instruction:
    vault = find_vault(mint, shard)[0]
    given: dict[str, Any] = {
        "caller": KEEPER,
        "vault": vault,
        "vault_token": token_address(vault, mint),
        "stream_token": token_address(POOL, mint),
        **accounts,
    }
    return instructions.sweep_stakers(**given)


def advance_epoch(**accounts: Any) -> Instruction:
    return instructions.advance_epoch(**accounts)


def set_gpu_model(
    number: int, points: int, reference_usd: int = REFERENCE_USD, authority: Pubkey = AUTHORITY
) -> Instruction:
    terms = GpuTerms(points=points, reference_usd=reference_usd)
    return instructions.set_gpu_model(authority=authority, number=number, terms=terms)


def refresh_listing(
    host: Pubkey = HOST, listing: Pubkey = LISTING, caller: Pubkey = KEEPER, model: int = 1
) -> Instruction:
    return instructions.refresh_listing(
        caller=caller, host=find_host(host)[0], listing=listing, gpu_model=find_gpu_model(model)[0]
    )


def lock_mfp(authority: Pubkey = HOST, amount: int = TOKEN, **accounts: Any) -> Instruction:
    return instructions.lock_mfp(**{**_with_lock(authority), **accounts}, amount=amount)


def unlock_mfp(authority: Pubkey = HOST, amount: int = TOKEN, **accounts: Any) -> Instruction:
    given: dict[str, Any] = {"authority": authority, "host": find_host(authority)[0], **accounts}
    return instructions.unlock_mfp(**given, amount=amount)


def withdraw_mfp(authority: Pubkey = HOST, **accounts: Any) -> Instruction:
    return instructions.withdraw_mfp(**{**_with_lock(authority), **accounts})


def _with_tokens(owner: Pubkey) -> dict[str, Any]:
    return {
        "owner": owner,
        "pool_token": token_address(POOL, GPUM),
        "owner_token": token_address(owner, GPUM),
    }


def _with_lock(authority: Pubkey) -> dict[str, Any]:
    return {
        "authority": authority,
        "host": find_host(authority)[0],
        "catalog_token": token_address(CATALOG, GPUM),
        "authority_token": token_address(authority, GPUM),
    }


def put_fifth_mint(world: World) -> None:
    """A payment mint that no stream pays in, which everybody has an account of and RENTER some tokens."""
    put_mint(world.cluster, FIFTH)
    world.act(instructions.add_payment_mint(authority=AUTHORITY, mint=FIFTH, terms=USDC_TERMS))
    for owner in (find_vault(FIFTH, 0)[0], HOST, TREASURY, POOL):
        put_tokens(world.cluster, FIFTH, owner, 0)
    put_tokens(world.cluster, FIFTH, RENTER, 10**12)
    world.act(instructions.add_vault(caller=AUTHORITY, mint=FIFTH, shard=0))


def fill_pool(world: World) -> None:
    """The pool takes streams until there is no room for one more."""
    pool = pool_of(world)
    for number in range(len(pool.rewards) - pool.streams):
        mint = address(f"rewarded mint {number}")
        put_mint(world.cluster, mint)
        put_tokens(world.cluster, mint, POOL, 0)
        token = token_address(POOL, mint)
        world.act(instructions.add_reward_mint(authority=AUTHORITY, mint=mint, stream_token=token))
