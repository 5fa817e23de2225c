"""Stake, rewards, points and locks: the tables equal the accounts, and the API says what a claim would pay."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated import accounts
from anchor_client.rules.stake_account import holding
from anchor_client.rules.stake_pool import advanced, from_words
from indexer import models
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.databases import on_both_databases
from tests.indexer.staking import busy_stakers
from tests.indexer.tables import contents, names_of, only, rows_of
from tests.markets.recorded import Market
from tests.markets.spec import SPEC
from tests.program.harness.actors import GPUM, MINTS, USDC
from tests.program.harness.flows import running
from tests.program.harness.staking import (
    EPOCH,
    catalog_of,
    claim,
    close_stake,
    fund_rewards,
    gpu_model_of,
    next_epoch,
    pool_of,
    stake,
    sweep_stakers,
    unstake,
    withdraw_stake,
)
from tests.program.harness.terms import REFERENCE_USD

SHARE = 89
"""Earnings of a lone staker when one base unit more is funded."""


def served(market: Market, engine: Engine) -> TestClient:
    status, clock = Status(), market.node.clock
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    status.completed(clock.slot)
    return TestClient(create_app(IndexerSettings(), engine=engine, status=status))


@pytest.fixture
def busy(market: Market, engine: Engine) -> tuple[Pubkey, Pubkey]:
    stakers = busy_stakers(market)
    result = ingest(market.transactions(), engine)
    assert (result.dead_letters, result.gaps, result.late) == (0, {}, 0)
    return stakers


@pytest.fixture
def api(market: Market, engine: Engine, busy: object) -> Iterator[TestClient]:
    with served(market, engine) as client:
        yield client


@on_both_databases
def test_ingest__every_act_of_staking__equals_the_chain(market: Market, engine: Engine, busy: object) -> None:
    pool = pool_of(market)
    row = only(engine, models.StakePool)
    names = ("epoch", "epoch_started_at", "epoch_ends_at", "active", "warming", "cooling", "seq")
    assert {name: getattr(row, name) for name in names} == {name: getattr(pool, name) for name in names}
    streams = rows_of(engine, models.RewardStream)
    assert len(streams) == pool.streams == len(MINTS)
    for stream, account in zip(streams, pool.rewards, strict=False):
        assert (stream.acc, stream.next_acc) == (from_words(account.acc), from_words(account.next_acc))
        assert (stream.queued, stream.funded, stream.claimed) == (account.queued, account.funded, account.claimed)
    stakes = rows_of(engine, models.Stake)
    assert len(stakes) == 2
    for stake_row in stakes:
        account = market.read(accounts.StakeAccount, Pubkey.from_string(stake_row.address))
        for name in ("active", "warming", "cooling", "warm_at", "cool_at", "voting_until", "seq"):
            assert getattr(stake_row, name) == getattr(account, name), name
        for reward in (each for each in rows_of(engine, models.StakeReward) if each.stake == stake_row.address):
            assert reward.owed == account.owed[reward.stream]
            assert reward.checkpoint == from_words(account.checkpoints[reward.stream])
            assert reward.warm_checkpoint == from_words(account.warm_checkpoints[reward.stream])


def stay_an_epoch(market: Market, owner: Pubkey) -> int:
    """Stakes, earns, takes everything back and closes the account; gives what it earned."""
    market.act(stake(owner, 1_000))
    next_epoch(market)
    market.act(fund_rewards(SHARE + 1, funder=owner))
    before = market.tokens(owner)
    for _ in range(2):
        next_epoch(market)
    market.act(unstake(owner, 1_000))
    market.wait(EPOCH)
    market.act(withdraw_stake(owner))
    market.act(claim(owner))
    market.act(close_stake(owner))
    return market.tokens(owner) - before - 1_000


def test_ingest__stake_closed_and_opened_again__misses_nothing_and_keeps_both_lives(
    market: Market, engine: Engine
) -> None:
    """Both lives of the account number their events alike. Invariant STK-6."""
    owner = market.wallet()
    assert [stay_an_epoch(market, owner) for _ in range(2)] == [SHARE, SHARE]
    result = ingest(market.transactions(), engine)
    assert (result.dead_letters, result.gaps, result.late) == (0, {}, 0)
    row = only(engine, models.Stake)
    assert row.closed_at is not None and row.closed_at >= row.cool_at > row.staked_at
    assert (row.seq, row.active, row.warming, row.cooling) == (0, 0, 0, 0)
    claims = rows_of(engine, models.RewardClaim)
    assert [(claim.stake, claim.seq, claim.amount) for claim in claims] == [(row.address, 4, SHARE)] * 2
    first_staked = row.staked_at

    market.wait(EPOCH)
    market.act(stake(owner, 7))
    result = ingest(market.transactions(), engine)
    assert (result.dead_letters, result.gaps, result.late) == (0, {}, 0)
    row = only(engine, models.Stake)
    assert (row.closed_at, row.seq, row.warming, row.staked_at) == (None, 1, 7, first_staked)
    [reward] = [reward for reward in rows_of(engine, models.StakeReward) if reward.stream == 0]
    assert (reward.owed, reward.claimed) == (0, 2 * SHARE)
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before


def test_stakes__closed__says_since_when(market: Market, engine: Engine) -> None:
    owner = market.wallet()
    stay_an_epoch(market, owner)
    ingest(market.transactions(), engine)
    with served(market, engine) as api:
        [found] = api.get("/api/rewards/stakes").json()["stakes"]
        assert found["closed_at"] == only(engine, models.Stake).closed_at is not None
        assert (found["active"], found["rewards"][0]["claimed"], found["voting_until"]) == ("0", str(SHARE), None)
        assert api.get("/api/rewards/pool").json()["stakers"] == 0


def test_ingest__claims__are_kept(engine: Engine, busy: tuple[Pubkey, Pubkey]) -> None:
    claims = rows_of(engine, models.RewardClaim)
    assert {(claim.stream, claim.compounded) for claim in claims} == {(1, False), (0, True)}
    streams = {stream.number: stream for stream in rows_of(engine, models.RewardStream)}
    assert all(streams[claim.stream].claimed == claim.amount > 0 for claim in claims)
    assert {(row.stream, row.amount) for row in rows_of(engine, models.EpochReward)} >= {(0, 5_000), (1, 1_001)}


def test_ingest__points_and_locks__equal_the_chain(market: Market, engine: Engine, busy: object) -> None:
    host = market.host()
    row = only(engine, models.Host)
    names = ("points", "mfp_locked", "mfp_unlocking", "mfp_unlock_at", "seq")
    assert {name: getattr(row, name) for name in names} == {name: getattr(host, name) for name in names}
    assert row.points == 120 * SPEC.gpu_count and row.mfp_locked == 5_000
    catalog = catalog_of(market)
    assert (only(engine, models.Catalog).locked, only(engine, models.Catalog).seq) == (catalog.locked, catalog.seq)
    model = gpu_model_of(market)
    row = only(engine, models.GpuModel)
    assert (row.number, row.points, row.reference_usd, row.seq) == (1, 120, REFERENCE_USD, model.seq)
    listing = only(engine, models.Listing)
    assert (listing.points, listing.reference_usd) == (120 * SPEC.gpu_count, REFERENCE_USD)


def test_ingest__stakers_share_swept__leaves_the_vault(market: Market, engine: Engine, busy: object) -> None:
    renter = market.renter()
    rental = running(market, renter, listing=market.list_machine())
    market.pass_time(600)
    market.act(market.stop_rental(rental))
    market.act(market.sweep_fees(), sweep_stakers())
    ingest(market.transactions(), engine)
    vault = market.vault(GPUM)
    [row] = [row for row in rows_of(engine, models.Vault) if (row.mint, row.shard) == (str(GPUM), 0)]
    assert (row.stakers_due, row.total_stakers) == (vault.stakers_due, vault.total_stakers) and row.total_stakers > 0
    assert row.seq == vault.seq


def test_stakes__pending__is_what_a_claim_pays(market: Market, engine: Engine, busy: tuple[Pubkey, Pubkey]) -> None:
    first, _ = busy
    market.act(fund_rewards(90_001, USDC, first))
    for _ in range(2):
        next_epoch(market)
    ingest(market.transactions(), engine)
    with served(market, engine) as api:
        [found] = api.get(f"/api/rewards/stakes?owner={first}").json()["stakes"]
    pending = {reward["mint"]: int(reward["pending"]) for reward in found["rewards"]}
    before = market.tokens(first, USDC)
    market.act(claim(first, USDC))
    assert market.tokens(first, USDC) - before == pending[str(USDC)] > 0


def test_stakes__every_field__is_the_accounts(api: TestClient, market: Market, busy: tuple[Pubkey, Pubkey]) -> None:
    stakes = api.get("/api/rewards/stakes").json()["stakes"]
    assert {stake["owner"] for stake in stakes} == {str(owner) for owner in busy}
    clock = market.node.clock
    pool = advanced(pool_of(market), clock.unix_timestamp, EPOCH)
    for found in stakes:
        now = holding(market.read(accounts.StakeAccount, Pubkey.from_string(found["id"])), pool)
        assert (int(found["active"]), int(found["warming"]), int(found["cooling"])) == (
            now.active,
            now.warming,
            now.cooling,
        )
        assert [int(reward["pending"]) for reward in found["rewards"]] == list(now.owed[: len(MINTS)])
        assert [int(reward["coming"]) for reward in found["rewards"]] == list(now.coming[: len(MINTS)])
        assert {reward["decimals"] for reward in found["rewards"]} == {6, 9}


def test_pool__epochs_over__are_ended(api: TestClient, market: Market) -> None:
    status: Any = api.app.state.status  # type: ignore[attr-defined]
    clock = market.node.clock
    before = api.get("/api/rewards/pool").json()
    status.saw_head(clock.slot, before["epoch_ends_at"] + EPOCH, status.market)
    after = api.get("/api/rewards/pool").json()
    assert (after["epoch"], after["epoch_ends_at"]) == (before["epoch"] + 2, before["epoch_ends_at"] + 2 * EPOCH)
    assert before["stakers"] == 2 and len(before["streams"]) == len(MINTS)
    assert int(after["active"]) == int(before["active"]) + int(before["warming"])


def test_rewards__before_staking_opens__are_not_found(market: Market, engine: Engine) -> None:
    before = takewhile(lambda item: "PoolInitialized" not in names_of(item), market.transactions())
    ingest(before, engine)
    with served(market, engine) as api:
        for path in ("/api/rewards/pool", "/api/rewards/stakes"):
            answer = api.get(path)
            assert (answer.status_code, answer.json()["error"]) == (404, "no_stake_pool")


def test_stakes__cursor__gives_each_once(api: TestClient) -> None:
    whole = api.get("/api/rewards/stakes").json()["stakes"]
    first = api.get("/api/rewards/stakes?limit=1").json()
    second = api.get("/api/rewards/stakes", params={"limit": 1, "cursor": first["next_cursor"]}).json()
    assert first["stakes"] + second["stakes"] == whole and second["next_cursor"] is None
