"""The lookup table that a keeper makes for itself, on the embedded cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from solders.address_lookup_table_account import AddressLookupTable
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_market, find_vault
from anchor_client.rules.subsidy import day
from anchor_client.solana.transactions import Prepared, TransactionSender
from anchor_client.solana.wallet import Wallet
from keeper.errors import KeeperConfigurationError
from keeper.journal import open_journal
from keeper.loop import run_once
from keeper.table.closing import COOL_DOWN_SLOTS, TableState, close_tables, read_tables
from keeper.table.instructions import extend
from keeper.table.shared import shared_addresses
from keeper.table.upkeep import TableUpkeep
from tests.keeper.batches import batch_sizes
from tests.keeper.test_process import _home, environment, run  # noqa: F401
from tests.markets.parties import DURATION, SettingsOf, World

RENTALS = 10
FEE = 5_000
COMMAND = ("-c", "from market_cli.main import run; run()", "--json", "keeper", "table")


async def tables(world: World, state: Path) -> list[TableState]:
    """Those of a state directory."""
    async with open_journal(state) as journal:
        return await read_tables(world.reader, journal)


async def test_run_once__table_of_its_own__fits_more_and_is_found_again(
    world: World, settings: SettingsOf, tmp_path: Path
) -> None:
    world.running(RENTALS)
    world.warp(DURATION)
    key = world.wallet()
    before = world.lamports(key.pubkey())
    given = settings(keypair=key, batch_mode="v0", lookup_table="auto", state_dir=tmp_path)
    first = await run_once(given)
    [table] = await tables(world, tmp_path)
    cost = before + first.earned_lamports - first.spent_lamports - world.lamports(key.pubkey())

    world.running(RENTALS)
    world.warp(DURATION)
    second = await run_once(given)

    assert batch_sizes(first)[0] == batch_sizes(second)[0] == 5
    assert await tables(world, tmp_path) == [table]
    assert table.slots_left is None
    transactions, rest = divmod(cost - table.rent, FEE)
    assert (transactions, rest) == (-(-table.addresses // 20), 0), "rent, and a fee for every 20 addresses"


async def test_run_once__table_costs__count_in_the_days_budget(
    world: World, settings: SettingsOf, tmp_path: Path
) -> None:
    world.running(RENTALS)
    world.warp(DURATION)
    budget = 4 * FEE
    given = settings(batch_mode="v0", lookup_table="auto", state_dir=tmp_path, daily_budget_lamports=budget)
    summary = await run_once(given)
    assert await tables(world, tmp_path) == [], "its rent is more than the budget"
    assert batch_sizes(summary)[0] == 4 and len(summary.ended) == RENTALS


async def test_refresh__vault_that_is_new__is_added_to_the_same_table(world: World, tmp_path: Path) -> None:
    async with open_journal(tmp_path) as journal:
        key = world.wallet()
        upkeep = TableUpkeep(world.reader, journal, Wallet(key), 0)
        await upkeep.refresh()
        [before] = await journal.tables()
        had = await upkeep.usable()
        vault = find_vault(world.tokens.market_token.mint, 0)[0]
        account = world.local.cluster.account(vault)
        assert had is not None and account is not None
        added = Pubkey.new_unique()
        world.local.cluster.set_account(added, account)
        await upkeep.refresh()
        now = await upkeep.usable()
        assert now is not None and await journal.tables() == [before] and now.key == before
        assert set(now.addresses) - set(had.addresses) == {added}
        assert {find_market()[0], vault} <= set(had.addresses)
        assert set(now.addresses) == set(await shared_addresses(world.reader, key.pubkey()))


class Crash(Exception):
    """The process is gone."""


@pytest.mark.parametrize("is_sent", [False, True])
async def test_refresh__crash_between_signing_the_creation_and_its_landing__makes_no_second_table(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_sent: bool
) -> None:
    key = world.wallet()

    async def crash(sender: TransactionSender, prepared: Prepared) -> None:
        if is_sent:
            await sender.broadcast(prepared, preflight=True)
        raise Crash

    with monkeypatch.context() as crashing:
        crashing.setattr(TransactionSender, "submit", crash)
        async with open_journal(tmp_path) as journal:
            with pytest.raises(Crash):
                await TableUpkeep(world.reader, journal, Wallet(key), 0).refresh()
            [begun] = await journal.tables()
    async with open_journal(tmp_path) as journal:
        upkeep = TableUpkeep(world.reader, journal, Wallet(key), 0)
        await upkeep.refresh()
        usable = await upkeep.usable()
        assert await journal.tables() == [begun] and await journal.table_creations() == []
        assert usable is not None and usable.key == begun
        assert set(usable.addresses) == set(await shared_addresses(world.reader, key.pubkey()))


async def test_refresh__creation_of_before_a_crash_has_expired__makes_another_and_counts_one(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = world.wallet()

    async def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as crashing:
        crashing.setattr(TransactionSender, "submit", crash)
        async with open_journal(tmp_path) as journal:
            with pytest.raises(Crash):
                await TableUpkeep(world.reader, journal, Wallet(key), 0).refresh()
    world.warp(600)
    async with open_journal(tmp_path) as journal:
        upkeep = TableUpkeep(world.reader, journal, Wallet(key), 0)
        await upkeep.refresh()
        [table] = await read_tables(world.reader, journal)
        assert await journal.table_creations() == []
        spent = await journal.spent(day(world.now()))
        assert spent == table.rent + FEE * -(-table.addresses // 20)


async def test_usable__entries_of_this_very_slot__are_waited_for(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_journal(tmp_path) as journal:
        key = world.wallet()
        upkeep = TableUpkeep(world.reader, journal, Wallet(key), 0)
        await upkeep.refresh()
        had = await upkeep.usable()
        [table] = await journal.tables()
        monkeypatch.setattr("keeper.table.upkeep.USABLE_SECONDS", 0)
        world.run(key, [extend(table, key.pubkey(), [Pubkey.new_unique()])])
        find = upkeep._find

        async def found_in_its_slot() -> tuple[Pubkey, AddressLookupTable, int] | None:
            found = await find()
            assert found is not None
            address, known, _ = found
            return address, known, known.meta.last_extended_slot

        with monkeypatch.context() as patched:
            # Slots go on meanwhile, however busy the machine is.
            patched.setattr(upkeep, "_find", found_in_its_slot)
            too_early = await upkeep.usable()
        world.local.cluster.expire_blockhash()
        later = await upkeep.usable()
        assert had is not None and too_early is not None and later is not None
        assert list(too_early.addresses) == list(had.addresses)
        assert len(later.addresses) == len(had.addresses) + 1


async def test_table_close__once_and_after_the_cool_down__returns_the_rent(
    world: World, settings: SettingsOf, tmp_path: Path
) -> None:
    key = world.wallet()
    await run_once(settings(keypair=key, batch_mode="v0", lookup_table="auto", state_dir=tmp_path))
    [table] = await tables(world, tmp_path)

    async def closed() -> list[dict[str, Any]]:
        ran = await run(*COMMAND, "close", env=environment(world, key, state_dir=tmp_path))
        assert ran.code == 0, ran.err
        told: list[dict[str, Any]] = json.loads(ran.out)["tables"]
        return told

    [deactivated] = await closed()
    assert deactivated["address"] == str(table.address) and deactivated["slots_left"] > 0
    [still] = await closed()
    assert 0 < still["slots_left"] <= COOL_DOWN_SLOTS
    for _ in range(COOL_DOWN_SLOTS + 1):
        world.local.cluster.expire_blockhash()
    before = world.lamports(key.pubkey())
    assert await closed() == []
    assert world.lamports(key.pubkey()) - before == table.rent - FEE
    assert await tables(world, tmp_path) == []
    again = settings(keypair=key, batch_mode="v0", lookup_table="auto", state_dir=tmp_path)
    await run_once(again)
    [anew] = await tables(world, tmp_path)
    assert anew.address != table.address


async def test_table_close__keeper_runs__is_refused(world: World, tmp_path: Path) -> None:
    async with open_journal(tmp_path):
        ran = await run(*COMMAND, "close", env=environment(world, world.wallet(), state_dir=tmp_path))
    assert ran.code == 2 and "Another keeper uses the state directory" in ran.err


async def test_close_tables__none__leaves_none(world: World, tmp_path: Path) -> None:
    async with open_journal(tmp_path) as journal:
        assert await close_tables(world.reader, journal, Wallet(world.wallet())) == []


def test_settings__table_of_its_own_without_a_state_directory__is_refused(settings: SettingsOf) -> None:
    with pytest.raises(KeeperConfigurationError, match="needs a state directory"):
        settings(lookup_table="auto")
