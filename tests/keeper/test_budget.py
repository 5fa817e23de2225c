"""A keeper's budget of a day."""

from __future__ import annotations

from pathlib import Path

import pytest

from anchor_client.rules.subsidy import SECONDS_PER_DAY
from keeper.errors import BudgetSpent
from keeper.journal import open_journal
from keeper.loop import run_once
from keeper.names import BatchMode, CrankName
from tests.keeper.test_journal import entry
from tests.markets.parties import DURATION, SettingsOf, World

FEE = 5_000


async def test_run_once__budget_of_one_fee__stops_until_the_next_day_across_restarts(
    world: World, settings: SettingsOf, tmp_path: Path
) -> None:
    world.running(9)
    world.warp(DURATION)
    given = settings(daily_budget_lamports=FEE, batch_mode=BatchMode.LEGACY, state_dir=tmp_path / "state")

    first = await run_once(given)
    assert first.spent_lamports == FEE and first.transactions == 1
    assert 0 < len(first.ended) < 9 and first.exit_code == 1

    again = await run_once(given)
    assert again.transactions == 0 and not again.ended and again.exit_code == 1

    world.warp(SECONDS_PER_DAY)
    next_day = await run_once(given)
    assert next_day.spent_lamports == FEE and next_day.ended


async def test_run_once__nothing_left_for_cranks__they_wait(world: World, settings: SettingsOf) -> None:
    world.running(1)
    world.warp(DURATION + SECONDS_PER_DAY)
    cranks = frozenset({CrankName.HOST})
    assert not (await run_once(settings(cranks=cranks, daily_budget_lamports=0))).cranks
    assert (await run_once(settings(cranks=cranks))).cranks


async def test_record__budget__counts_to_the_lamport_and_writes_nothing_past_it(tmp_path: Path) -> None:
    async with open_journal(tmp_path, 2 * FEE) as journal:
        await journal.record(entry(1), 7)
        await journal.record(entry(2), 7)
        with pytest.raises(BudgetSpent):
            await journal.spend(entry(3).signature, 7, 1)
        with pytest.raises(BudgetSpent):
            await journal.record(entry(3), 7)
        assert len(await journal.entries()) == 2
    async with open_journal(tmp_path, 2 * FEE) as journal:
        assert await journal.spent(7) == 2 * FEE
        await journal.remove(entry(1).signature)
        assert await journal.spent(7) == 2 * FEE
        await journal.remove(entry(2).signature, is_free=True)
        assert await journal.spent(7) == FEE
        await journal.record(entry(3), 7)
        await journal.record(entry(4), 8)
        assert await journal.spent(8) == FEE
