"""Staking and the lock through the client: rewards as the program settles them, and what both do to a price."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, NoStake, TooFewTokens
from anchor_client.generated import errors
from anchor_client.generated.accounts import StakeAccount, StakePool
from anchor_client.generated.types import RewardStream
from anchor_client.market import RentalWanted
from anchor_client.rules.stake_account import PresentStake, active_at, holding
from anchor_client.rules.stake_pool import advanced, earned_floor, from_words, to_words
from tests.anchor_client.price_oracle import blank
from tests.markets.marketplace import EPOCH, H100, SOL, TOKEN, Marketplace

HASH = bytes(32)


async def staker(marketplace: Marketplace, amount: int) -> Keypair:
    """A wallet whose stake is active, in an epoch that has just begun."""
    wallet = await marketplace.renter(gpum=3_000_000 * TOKEN)
    async with marketplace.market(wallet) as market:
        await market.staking.stake(amount)
    await next_epoch(marketplace)
    return wallet


async def next_epoch(marketplace: Marketplace) -> None:
    async with marketplace.market() as market:
        pool, now = await market.reads.pool(), await market.reads.now()
    await marketplace.warp(pool.epoch_ends_at - now + 1)


async def test_stake__rewards_in_three_tokens__are_claimed_as_foreseen(marketplace: Marketplace) -> None:
    wallet = await staker(marketplace, 1_000 * TOKEN)
    async with marketplace.market(wallet) as market:
        for token, amount in (("GPUM", 50 * TOKEN), ("USDC", 7 * TOKEN), ("SOL", SOL)):
            await market.staking.fund(token, amount)
        await next_epoch(marketplace)
        status = await market.staking.get(wallet.pubkey())
        assert set(status.coming) == {"GPUM", "USDC", "SOL"} and not status.pending
        await next_epoch(marketplace)
        status = await market.staking.get(wallet.pubkey())
        assert status.pending == (await market.staking.get(wallet.pubkey())).pending
        lamports = await market.reads.program.balance(wallet.pubkey())
        await market.staking.claim("SOL")
        assert await market.reads.program.balance(wallet.pubkey()) > lamports + status.pending["SOL"] - SOL // 100
        await market.staking.compound()
        after = await market.staking.get(wallet.pubkey())
        assert after.warming == status.pending["GPUM"] and set(after.pending) == {"USDC"}
        await market.staking.claim_all()
        with pytest.raises(errors.NothingToClaim):
            await market.staking.claim_all()


async def test_unstake__then_withdraw__gives_the_tokens_back(marketplace: Marketplace) -> None:
    wallet = await staker(marketplace, 1_000 * TOKEN)
    async with marketplace.market(wallet) as market:
        await market.staking.unstake(400 * TOKEN)
        status = await market.staking.get(wallet.pubkey())
        assert (status.active, status.cooling) == (600 * TOKEN, 400 * TOKEN)
        with pytest.raises(errors.StakeCooling):
            await market.staking.withdraw()
        await marketplace.warp(EPOCH + 1)
        await market.staking.withdraw()
        with pytest.raises(errors.NothingToWithdraw):
            await market.staking.withdraw()
        await market.staking.advance_epoch()
        assert (await market.staking.get(wallet.pubkey())).cooling == 0


async def test_close_stake__all_taken_back__returns_the_rent(marketplace: Marketplace) -> None:
    wallet = await staker(marketplace, 1_000 * TOKEN)
    async with marketplace.market(wallet) as market:
        with pytest.raises(errors.StakeNotEmpty) as caught:
            await market.staking.close()
        assert caught.value.remedy
        await market.staking.unstake(1_000 * TOKEN)
        await marketplace.warp(EPOCH + 1)
        await market.staking.withdraw()
        lamports = await market.reads.program.balance(wallet.pubkey())
        sent = await market.staking.close()
        rent = await market.reads.program.rent_exempt_minimum(StakeAccount.SIZE)
        assert await market.reads.program.balance(wallet.pubkey()) == lamports + rent - sent.fee
        with pytest.raises(NoStake):
            await market.staking.close()
        await market.staking.stake(5)
        assert (await market.staking.get(wallet.pubkey())).warming == 5


async def test_stake__impossible__is_refused_with_a_remedy(marketplace: Marketplace) -> None:
    wallet = await marketplace.renter(gpum=5)
    async with marketplace.market(wallet) as market:
        refused: list[GpuMarketError] = []
        attempts = (
            market.staking.stake(6),
            market.staking.unstake(1),
            market.staking.withdraw(),
            market.staking.close(),
            market.staking.claim("GPUM"),
        )
        for attempt in attempts:
            with pytest.raises((TooFewTokens, NoStake)) as caught:
                await attempt
            refused.append(caught.value)
        assert all(error.remedy for error in refused)
        assert (await market.reads.holding(wallet.pubkey())) == PresentStake()


async def test_rent__both_sides_stake__is_quoted_and_charged_less(marketplace: Marketplace) -> None:
    renter = await staker(marketplace, 2_000_000 * TOKEN)
    stranger = await marketplace.renter()
    async with marketplace.market(stranger) as market:
        full = await market.rental.open(RentalWanted(duration=600, pay="USDC", order_hash=HASH, gpu=H100))
    async with marketplace.market(renter) as market:
        job = await market.rental.open(
            RentalWanted(duration=600, pay="USDC", order_hash=HASH, gpu=H100, max_cost=full.deposit)
        )
        rental, whole = await market.reads.rental(job.id), await market.reads.rental(full.id)
    assert rental.deposit < whole.deposit and rental.fee_rate < whole.fee_rate


async def test_sweep_stakers__after_sweep_fees__queues_their_share(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        job = await market.rental.open(RentalWanted(duration=600, pay="GPUM", order_hash=HASH, gpu=H100))
        await marketplace.run(job.id)
        await marketplace.warp(300)
        await market.jobs.get(job.id)
        await market.rental.stop(job.id)
        vault = next(
            vault for vault in (await market.reads.vaults(marketplace.gpum.pubkey())).values() if vault.fees_due
        )
        due = vault.stakers_due + vault.fees_due // 2
        await market.sweep_fees(vault.mint, vault.shard)
        before = (await market.reads.pool()).rewards[0].queued
        await market.staking.sweep(vault.mint, vault.shard)
        assert (await market.reads.pool()).rewards[0].queued == before + due


def pool_of(**changes: object) -> StakePool:
    stream = RewardStream(Pubkey.default(), Pubkey.default(), (0, 0), (0, 0), 0, 0, 0, 0)
    pool = StakePool(
        1, 1, 4, bytes(5), Pubkey.default(), Pubkey.default(), 0, 0, 0, 60, 0, 0, 0, (stream,) * 4, bytes(64)
    )
    return replace(pool, **changes)  # type: ignore[arg-type]


def test_advanced__n_epochs_at_once__is_the_same_as_one_by_one() -> None:
    dice = random.Random(7)
    for _ in range(200):
        stream = replace(
            pool_of().rewards[0], queued=dice.choice([0, dice.getrandbits(40)]), next_acc=(dice.getrandbits(64), 3)
        )
        pool = pool_of(
            active=dice.choice([0, dice.getrandbits(30)]), warming=dice.choice([0, 5]), rewards=(stream,) * 4
        )
        epochs, each = dice.randint(1, 9), pool
        for epoch in range(1, epochs + 1):
            each = advanced(each, epoch * 60, 60)
        assert advanced(pool, epochs * 60 + dice.randint(0, 59), 60) == each


def test_accumulator__wrapped__counts_the_difference() -> None:
    assert earned_floor(7, 2**128 - 1, 2**64) == 7
    assert earned_floor(2**64 - 1, 0, 2**127) == 2**64 - 1
    assert from_words(to_words(2**100 + 3)) == 2**100 + 3


def test_holding__warm_stake__earns_from_its_own_checkpoint() -> None:
    account = StakeAccount(
        1, 1, bytes(6), Pubkey.default(), 1, 10, 20, 0, 60, 0, 0,
        ((0, 0),) * 4, (to_words(2 << 64),) * 4, (1, 0, 0, 0), bytes(64), bytes(32), 0,
    )  # fmt: skip
    stream = replace(pool_of().rewards[0], acc=to_words(3 << 64), next_acc=to_words(4 << 64))
    now = holding(account, pool_of(epoch_started_at=60, epoch_ends_at=120, rewards=(stream,) * 4))
    assert (now.active, now.warming) == (30, 0)
    assert now.owed == (51, 50, 50, 50) and now.coming == (30,) * 4


@pytest.mark.parametrize(("now", "active"), [(99, 5), (100, 12), (101, 12)])
def test_active_at__warm_up_ends__counts_from_then(now: int, active: int) -> None:
    account = blank(StakeAccount, owner=Pubkey.default(), active=5, warming=7, cooling=3, warm_at=100)
    assert active_at(account, now) == active
    assert active_at(None, now) == 0
