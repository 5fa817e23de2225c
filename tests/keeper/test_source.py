"""A keeper that has an index name what is due: whatever the index says, all that is due ends, once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey

from keeper.errors import KeeperConfigurationError
from keeper.loop import run_once
from keeper.summary import KeeperSummary
from tests.anchor_client.solana.proxy import Proxy
from tests.indexer.service import indexed, until, until_status
from tests.keeper.fake_index import fake_index, page
from tests.keeper.test_service import serving
from tests.markets.parties import DURATION, Party, SettingsOf, World
from tests.processes.ports import free_ports

MAX_LAG = 180
INDEX = {"source": "index", "backoff_seconds": 0.2, "max_backoff_seconds": 0.5, "max_interval_seconds": 0.3}
FAST = {"idle_interval_seconds": 0.3}


def assert_each_ended_once(summary: KeeperSummary | None, parties: list[Party]) -> None:
    assert summary is not None
    assert sorted(map(str, (ended.rental for ended in summary.ended))) == sorted(
        str(party.rentals[0]) for party in parties
    )
    assert summary.lost_races == 0


async def test_source_index__without_the_url_of_an_api__is_refused(world: World, settings: SettingsOf) -> None:
    with pytest.raises(KeeperConfigurationError, match="API"):
        settings(source="index")


async def test_source_index__complete_index__all_due_end_once_and_the_program_is_not_scanned(
    world: World, settings: SettingsOf, tmp_path: Path
) -> None:
    parties = world.running(6, shards=2)
    index: dict[str, Any] = {"commitment": "confirmed", "idle_interval": 0.2}
    async with (
        indexed(world.local, f"sqlite:///{tmp_path / 'index.db'}", **index) as api,
        Proxy(world.local.http_url) as proxy,
    ):
        for party in parties:
            await until_status(api, str(party.rentals[0]), "running")
        given: dict[str, Any] = {**INDEX, "rpc_url": proxy.url, "api_url": str(api.base_url)}
        async with serving(settings(**given, index_max_lag_seconds=10_000)) as service:
            assert service.value("index_trusted") == 1
            scans = proxy.calls["getProgramAccounts"]
            world.warp(DURATION)
            for party in parties:
                await world.until_ended(party.rentals[0])
            assert proxy.calls["getProgramAccounts"] == scans == 2
            assert service.value("index_trusted") == 1
    assert_each_ended_once(service.summary, parties)
    assert (await world.rentals()) == {}


async def test_source_index__dead_api__the_chain_is_scanned_and_it_says_so(world: World, settings: SettingsOf) -> None:
    parties = world.running(3)
    world.warp(DURATION)
    async with serving(settings(**INDEX, api_url=f"http://127.0.0.1:{free_ports()}")) as service:
        for party in parties:
            await world.until_ended(party.rentals[0])
        assert service.value("index_trusted") == 0
        assert (service.value("index_failures_total", reason="UnreachableApi") or 0) >= 1
    assert_each_ended_once(service.summary, parties)


@pytest.mark.parametrize(
    ("change", "max_lag"),
    [
        ({"lag_seconds": MAX_LAG + 1.0}, MAX_LAG),
        ({"status": "unhealthy", "problems": ["3 events are missing"]}, MAX_LAG),
        ({"complete_slot": 0}, 0.1),
    ],
    ids=["lags", "unhealthy", "stands still"],
)
async def test_source_index__stale_api__the_chain_is_scanned(
    world: World, settings: SettingsOf, change: dict[str, Any], max_lag: float
) -> None:
    parties = world.running(2)
    world.warp(DURATION)
    async with fake_index() as index:
        index.health |= change
        async with serving(settings(**INDEX, api_url=index.url, index_max_lag_seconds=max_lag)) as service:
            for party in parties:
                await world.until_ended(party.rentals[0])
            assert (service.value("index_failures_total", reason="IndexStale") or 0) >= 1
            assert service.value("index_trusted") == 0
    assert_each_ended_once(service.summary, parties)


async def test_source_index__api_that_hides_what_is_due__is_caught_by_each_audit(
    world: World, settings: SettingsOf
) -> None:
    parties = world.running(2)
    world.warp(DURATION + MAX_LAG + 1)
    async with fake_index() as index, serving(settings(**INDEX, **FAST, api_url=index.url)) as service:
        for party in parties:
            await world.until_ended(party.rentals[0])
        assert service.value("index_failures_total", reason="IndexWrong") == 1
    assert_each_ended_once(service.summary, parties)


async def test_source_index__api_that_hides_what_is_due_later__is_caught_by_the_next_audit(
    world: World, settings: SettingsOf
) -> None:
    async with (
        fake_index() as index,
        serving(settings(**INDEX, **FAST, api_url=index.url, audit_seconds=0.5)) as service,
    ):
        assert service.value("index_trusted") == 1
        parties = world.running(2)
        world.warp(DURATION + MAX_LAG + 1)
        for party in parties:
            await world.until_ended(party.rentals[0])
    assert_each_ended_once(service.summary, parties)


async def test_source_index__api_that_names_what_is_not_due_or_not_there__ends_nothing_else(
    world: World, settings: SettingsOf
) -> None:
    [due] = world.running(1)
    world.warp(DURATION)
    [fresh] = world.running(1)
    async with fake_index() as index:
        index.due = page([due.rentals[0], fresh.rentals[0], due.listing, Pubkey.new_unique()])
        given: dict[str, Any] = {**INDEX, **FAST, "api_url": index.url}
        async with serving(settings(**given)) as service:
            await world.until_ended(due.rentals[0])

            async def distrusted() -> bool:
                return (service.value("index_failures_total", reason="IndexWrong") or 0) >= 1

            await until(distrusted)
    assert_each_ended_once(service.summary, [due])
    assert list(await world.rentals()) == [fresh.rentals[0]]


@pytest.mark.parametrize(
    "answer",
    [page(["no address of anything, but as long"]), {"jobs": []}, page([], "1.cursor"), []],
    ids=["no address", "another form", "endless", "no object"],
)
async def test_source_index__nonsense__is_not_believed(world: World, settings: SettingsOf, answer: Any) -> None:
    parties = world.running(1)
    world.warp(DURATION)
    async with fake_index() as index:
        index.due = answer
        summary = await run_once(settings(**INDEX, api_url=index.url))
    assert_each_ended_once(summary, parties)
    assert index.asked >= 1
