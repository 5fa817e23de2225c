"""A keeper's budget of a day."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest
from solders.compute_budget import ID as COMPUTE_BUDGET
from solders.transaction import VersionedTransaction

from anchor_client.rules.subsidy import SECONDS_PER_DAY
from keeper.errors import BudgetSpent
from keeper.journal import open_journal
from keeper.loop import run_once
from keeper.names import BatchMode, CrankName
from tests.anchor_client.solana.proxy import Proxy
from tests.keeper.test_journal import entry
from tests.markets.parties import DURATION, TIP, SettingsOf, World

FEE = 5_000
SET_PRICE = 3
"""The compute budget program's instruction."""


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


@pytest.mark.parametrize(
    ("recent", "most", "price"),
    [(40_000, 100_000, 40_000), (40_000, 25_000, 25_000), (40_000, 0, None), (10**9, 10**9, "what the tip leaves")],
)
async def test_run_once__others_pay_for_the_same_accounts__pays_as_they_do_within_limit_and_tip(
    world: World, settings: SettingsOf, recent: int, most: int, price: int | str | None
) -> None:
    world.running(1)
    world.warp(DURATION)
    async with Proxy(world.local.http_url) as proxy:
        proxy.changes["getRecentPrioritizationFees"] = lambda _: [{"slot": 1, "prioritizationFee": recent}]
        given = settings(rpc_url=proxy.url, max_priority_fee=most, batch_mode=BatchMode.LEGACY)
        summary = await run_once(given)
    assert summary.ended and summary.earned_lamports == TIP
    [paid] = {price_of(params[0]) for params in proxy.sent}
    if isinstance(price, str):
        assert paid is not None and 100_000 < paid < recent
        assert TIP - 1 <= summary.spent_lamports <= TIP
    else:
        assert paid == price
        assert (summary.spent_lamports > FEE) == bool(price)


@pytest.mark.parametrize(("fee", "ended"), [(TIP, 1), (TIP + 1, 0)])
async def test_run_once__signature_at_the_clusters_own_price__is_weighed_against_the_tip(
    world: World, settings: SettingsOf, fee: int, ended: int
) -> None:
    world.running(1)
    world.warp(DURATION)
    async with Proxy(world.local.http_url) as proxy:
        proxy.changes["getFeeForMessage"] = lambda told: told | {"value": fee}
        summary = await run_once(settings(rpc_url=proxy.url, max_priority_fee=0))
    assert len(summary.ended) == ended and summary.spent_lamports == ended * fee


def price_of(encoded: str) -> int | None:
    """Micro-lamports a compute unit that a transaction of the old format offers."""
    message = VersionedTransaction.from_bytes(b64decode(encoded)).message
    data = [
        bytes(call.data)
        for call in message.instructions
        if message.account_keys[call.program_id_index] == COMPUTE_BUDGET and call.data[0] == SET_PRICE
    ]
    return int.from_bytes(data[0][1:], "little") if data else None


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
