"""Faults of keepers: how soon all is ended, and what it costs. Invariant KPR-2; docs/assurance.md has the table."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

import pytest

from anchor_client.generated.pdas import find_renter_profile
from keeper.loop import run_once
from keeper.summary import KeeperSummary
from tests.keeper.test_process import CRASHING, environment, run
from tests.keeper.test_races import send_at_once, serve_until
from tests.keeper.test_service import rentals
from tests.markets.parties import DURATION, TIP, SettingsOf, World

pytestmark = pytest.mark.faults
FEE = 5_000
KEEPERS, MANY, POISONED, WELL = 5, 200, 50, 50


def report(fault: str, seconds: float, lost: int, said: str = "") -> None:
    """A row of the table."""
    print(f"\n| {fault} | {seconds:.1f} | {lost:,} | {said}")


async def test_keepers__five_race_for_200__each_ending_is_paid_once(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_at_once(monkeypatch, 0)
    each = [settings(keypair=world.wallet()) for _ in range(KEEPERS)]
    before = [world.lamports(one.wallet().pubkey) for one in each]
    parties = world.running(MANY, shards=4)
    async with asyncio.TaskGroup() as group:
        stop = asyncio.Event()
        services = [group.create_task(serve_until(one, stop)) for one in each]
        world.warp(DURATION)
        began = time.monotonic()
        await world.until_ended(*(party.rentals[0] for party in parties))
        seconds = time.monotonic() - began
        stop.set()
    summaries = [service.result() for service in services]
    ended = [entry.rental for summary in summaries for entry in summary.ended]
    assert sorted(map(str, ended)) == sorted(map(str, rentals(parties)))
    for one, balance, summary in zip(each, before, summaries, strict=True):
        gained = world.lamports(one.wallet().pubkey) - balance
        assert gained == summary.earned_lamports - summary.spent_lamports
    earned = sum(summary.earned_lamports for summary in summaries)
    assert earned == MANY * TIP
    lost = sum(summary.lost_lamports for summary in summaries)
    report(f"{KEEPERS} keepers race for {MANY} rentals", seconds, lost, f"{earned:,} earned")
    await world.assert_balanced(world.tokens.market_token)


async def test_keeper__half_of_the_rentals_always_fail__the_others_end_as_soon(
    world: World, settings: SettingsOf
) -> None:
    parties = world.running(POISONED + WELL, shards=4)
    poisoned, well = parties[::2], parties[1::2]
    for party in poisoned:
        world.close_account(find_renter_profile(party.renter.pubkey())[0])
    world.warp(DURATION)
    stop = asyncio.Event()
    began = time.monotonic()
    service = asyncio.create_task(serve_until(settings(), stop))
    await world.until_ended(*(party.rentals[0] for party in well))
    seconds = time.monotonic() - began
    stop.set()
    summary: KeeperSummary = await service
    assert {entry.rental for entry in summary.ended} == rentals(well)
    assert set(await world.rentals()) == rentals(poisoned)
    report(f"{POISONED} of {POISONED + WELL} rentals always fail", seconds, summary.lost_lamports)
    assert summary.lost_lamports == 0


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_keeper__killed_between_signing_and_landing__loses_nothing(
    world: World, tmp_path: Path, settings: SettingsOf, moment: str
) -> None:
    world.running(3)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())
    world.warp(DURATION)
    killed = await run(str(CRASHING), moment, env=environment(world, keeper, state_dir=tmp_path))
    assert killed.code == -signal.SIGKILL
    began = time.monotonic()
    summary = await run_once(settings(keypair=keeper, state_dir=tmp_path))
    seconds = time.monotonic() - began
    assert len(summary.ended) == 3 and not await world.rentals()
    gained = world.lamports(keeper.pubkey()) - before
    report(f"keeper killed {moment} it sends", seconds, 3 * TIP - FEE - gained)
    assert gained == 3 * TIP - FEE
