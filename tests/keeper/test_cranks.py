"""Unpaid work as such: chosen, counted, set aside, through outages, and left at once when told to stop.

Invariant KPR-2.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Host, Listing
from anchor_client.generated.instructions import create_listing
from anchor_client.generated.pdas import find_host
from anchor_client.market.host.plan import LISTINGS_AT_ONCE
from anchor_client.service.setting_sources import Sources, read
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import Prepared, Sent, TransactionSender
from keeper.errors import KeeperConfigurationError
from keeper.loop import run_once, run_service
from keeper.names import CrankName, cranks_named
from keeper.settings import KeeperSettings
from keeper.tasks import CRANKS
from keeper.tasks.host import find_hosts_due
from keeper.tasks.task import DueTask
from tests.keeper.cranking import Cranking
from tests.keeper.test_service import break_requests, serving, until
from tests.markets.parties import Party, SettingsOf, World
from tests.markets.spec import SPEC
from tests.processes.patience import PATIENCE

FOREVER = 3_600.0


def host_of(party: Party) -> Pubkey:
    return find_host(party.host.pubkey())[0]


async def rounds(world: World, *parties: Party) -> list[int]:
    """Number of times that each party's host has been scored."""
    hosts = await world.reader.read_many(Host, [host_of(party) for party in parties])
    return [host.score_round for host in hosts if host is not None]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", set()),
        ("host", {"host"}),
        (" governance, charges,governance", {"governance", "charges"}),
        ("all", {"host", "staking", "governance", "charges", "mfp"}),
    ],
)
def test_settings__cranks__are_the_named(text: str, names: set[str]) -> None:
    assert _read({"GPU_MARKET_CRANKS": text}).cranks == names


def test_settings__no_cranks_named__there_are_none() -> None:
    assert KeeperSettings(keypair=Keypair()).cranks == frozenset()


def _read(environment: dict[str, str]) -> KeeperSettings:
    return read(KeeperSettings, Sources(environment=environment)).settings


@pytest.mark.parametrize("text", ["dishes", "Host", "host,all"])
def test_cranks_named__unknown__names_the_known(text: str) -> None:
    with pytest.raises(KeeperConfigurationError, match="There is no crank") as refused:
        cranks_named(text)
    assert all(name in refused.value.remedy for name in ("host", "staking", "governance", "charges", "mfp", "all"))


def test_settings__price_feeds__are_addresses_by_mint() -> None:
    mint, feed = Keypair().pubkey(), Keypair().pubkey()
    assert KeeperSettings(keypair=Keypair()).price_feeds == {}
    assert KeeperSettings(price_feeds=json.dumps({str(mint): str(feed)})).price_feeds == {mint: feed}  # type: ignore[arg-type]
    assert KeeperSettings(keypair=Keypair(), price_feeds={mint: feed}).price_feeds == {mint: feed}
    for text in ("pyth", "[]", '{"a": "b"}', f'{{"{mint}": 1}}'):
        with pytest.raises(KeeperConfigurationError, match="not addresses by mint") as refused:
            KeeperSettings(price_feeds=text)  # type: ignore[arg-type]
        assert "JSON" in refused.value.remedy


def test_cranks__every_name__is_one() -> None:
    assert set(CRANKS) == set(CrankName)


async def test_run_once__host_with_many_machines__is_scored_in_several_transactions(
    world: World, settings: SettingsOf
) -> None:
    party = world.party()
    for number in range(1, LISTINGS_AT_ONCE + 1):
        world.run(party.host, [create_listing(id=number, spec=SPEC, authority=party.host.pubkey())])
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())

    summary = await run_once(settings(keypair=keeper, cranks={"host"}))

    assert [(done.crank, done.address) for done in summary.cranks] == [("host", host_of(party))]
    assert await rounds(world, party) == [1]
    assert {listing.score_round for listing in (await world.reader.read_all(Listing)).values()} == {1}
    assert summary.transactions == 2
    assert before - world.lamports(keeper.pubkey()) == summary.spent_lamports > 0


async def test_run_once__two_keepers_at_once__nobody_fails_and_nothing_is_done_twice(
    world: World, settings: SettingsOf
) -> None:
    parties = [world.party() for _ in range(4)]
    summaries = await asyncio.gather(*(run_once(settings(cranks=CrankName)) for _ in range(2)))
    assert [summary.exit_code for summary in summaries] == [0, 0]
    assert await rounds(world, *parties) == [1, 1, 1, 1]


class Stubborn:
    """Scores hosts, but sends the program nothing that it knows for one of them while `wrong` is set."""

    def __init__(self, host: Pubkey) -> None:
        self.host, self.wrong = host, True

    async def find_due(self, reader: Reader, now: int) -> list[DueTask[Any]]:
        return [
            replace(due, task=replace(due.task, build=lambda *_: [Instruction(reader.program_id, bytes(8), [])]))
            if self.wrong and due.address == self.host
            else due
            for due in await find_hosts_due(reader, now)
        ]


async def test_run_once__task_that_fails__waits_and_holds_up_no_other(world: World, settings: SettingsOf) -> None:
    good, bad = world.party(), world.party()
    crank = Stubborn(host_of(bad))
    cranking = Cranking(world, settings(backoff_seconds=60), {CrankName.HOST: crank.find_due})
    assert await cranking.tasks() == ["update_reputation"]
    [entry] = cranking.record.summary.cranks_failed[CrankName.HOST].values()
    assert (entry.attempts, cranking.record.summary.exit_code) == (1, 1)
    assert await rounds(world, good, bad) == [1, 0]
    assert await cranking.tasks() == []
    assert cranking.value("cranks_failed_total", crank="host", reason=entry.reason) == 1
    crank.wrong = False
    world.warp(60)
    assert await cranking.tasks() == ["update_reputation"]
    assert (cranking.record.summary.cranks_failed, cranking.record.summary.exit_code) == ({"host": {}}, 0)
    assert cranking.value("cranks_done_total", crank="host", task="update_reputation") == 2


async def test_run_service__node_goes_away_and_comes_back__does_cranks_again(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(settings(cranks={"host"}, cranks_seconds=0.1, max_interval_seconds=FOREVER)) as service:
        with monkeypatch.context() as outage:
            break_requests(outage)
            await until(lambda: bool(service.value("pass_failures_total", error="UnreachableRpc")))
        party = world.party()
        await until(lambda: bool(service.value("cranks_done_total", crank="host", task="update_reputation")))
    assert await rounds(world, party) == [1]


async def test_run_service__defect_of_a_crank__is_raised(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(reader: Reader, now: int) -> list[DueTask[Any]]:
        raise LookupError("nothing there")

    monkeypatch.setattr("keeper.cranks.CRANKS", {CrankName.HOST: broken})
    with pytest.raises(LookupError, match="nothing there"):
        async with asyncio.timeout(PATIENCE):
            await run_service(settings(cranks={"host"}), ready=asyncio.Event(), stop=asyncio.Event())


class Endless:
    """Never comes back from its look."""

    def __init__(self) -> None:
        self.looking = asyncio.Event()

    async def find_due(self, reader: Reader, now: int) -> list[DueTask[Any]]:
        self.looking.set()
        await asyncio.Event().wait()
        return []


async def test_serve__told_to_stop_in_the_middle_of_a_look__ends(world: World, settings: SettingsOf) -> None:
    crank, stop = Endless(), asyncio.Event()
    serving = asyncio.create_task(Cranking(world, settings(), {CrankName.HOST: crank.find_due}).runner.serve(stop))
    await crank.looking.wait()
    stop.set()
    async with asyncio.timeout(PATIENCE):
        await serving


async def test_serve__told_to_stop_between_looks__ends(world: World, settings: SettingsOf) -> None:
    party, stop = world.party(), asyncio.Event()
    cranking = Cranking(world, settings(cranks={"host"}, cranks_seconds=FOREVER))
    serving = asyncio.create_task(cranking.runner.serve(stop))
    await until(lambda: bool(cranking.record.summary.cranks))
    stop.set()
    async with asyncio.timeout(PATIENCE):
        await serving
    assert await rounds(world, party) == [1]


async def test_serve__told_to_stop_while_a_transaction_lands__begins_no_other_and_counts_it(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    parties = [world.party() for _ in range(3)]
    sending, answered, stop = asyncio.Event(), asyncio.Event(), asyncio.Event()
    submit = TransactionSender.submit

    async def slow(self: TransactionSender, prepared: Prepared) -> Sent:
        sending.set()
        await answered.wait()
        return await submit(self, prepared)

    monkeypatch.setattr(TransactionSender, "submit", slow)
    cranking = Cranking(world, settings(cranks={"host"}, max_in_flight=1))
    serving = asyncio.create_task(cranking.runner.serve(stop))
    await sending.wait()
    stop.set()
    async with asyncio.timeout(PATIENCE):
        await serving
    assert not await cranking.runner.in_flight.drain(0) and len(cranking.runner.in_flight.items) == 1
    answered.set()
    assert await cranking.runner.in_flight.drain(PATIENCE)
    assert len(cranking.record.summary.cranks) == cranking.record.summary.transactions == 1
    assert sum(await rounds(world, *parties)) == 1
