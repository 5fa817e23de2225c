"""The keeper as a service in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_renter_profile
from anchor_client.service.monitoring import MetricsUnserved
from anchor_client.solana.http.answer import HttpAnswer, NoConnection
from anchor_client.solana.http.client import HttpClient
from keeper.loop import run_service
from keeper.metrics import KeeperMetrics
from keeper.settings import KeeperSettings
from keeper.summary import KeeperSummary
from tests.markets.parties import DURATION, TIP, Party, SettingsOf, World
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports


class Service:
    """A running service; `summary` once it has stopped."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.metrics = KeeperMetrics()
        self.summary: KeeperSummary | None = None

    def value(self, name: str, **labels: str) -> float | None:
        """A metric's value; None before its first."""
        return self.metrics.registry.get_sample_value(f"gpu_market_keeper_{name}", labels)


@asynccontextmanager
async def serving(settings: KeeperSettings) -> AsyncIterator[Service]:
    """The service from its first look at the chain until it has stopped."""
    service, ready = Service(), asyncio.Event()
    running = asyncio.create_task(run_service(settings, ready=ready, stop=service.stop, metrics=service.metrics))
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait([running, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    try:
        if not running.done():
            yield service
    finally:
        service.stop.set()
        service.summary = await running


async def test_run_service__rentals_fall_due_one_after_the_other__ends_each_in_its_time(
    world: World, settings: SettingsOf
) -> None:
    [early] = world.running(1)
    async with serving(settings()) as service:
        assert service.value("ended_total", task="finalize_rental") is None
        world.warp(DURATION)
        await world.until_ended(early.rentals[0])
        [late] = world.running(1)
        world.warp(DURATION)
        await world.until_ended(late.rentals[0])
    assert service.summary is not None and len(service.summary.ended) == 2
    assert service.value("ended_total", task="finalize_rental") == 2
    assert service.value("earned_lamports_total") == 2 * TIP
    assert service.value("spent_lamports_total") == 2 * 5_000


async def test_run_service__without_pubsub__still_finds_new_rentals(world: World, settings: SettingsOf) -> None:
    async with serving(settings(ws_url=None, max_interval_seconds=0.2)):
        [party] = world.running(1)
        world.warp(DURATION)
        await world.until_ended(party.rentals[0])


async def test_run_service__poison_that_is_cured__ends_after_its_backoff(world: World, settings: SettingsOf) -> None:
    [party] = world.running(1)
    profile = find_renter_profile(party.renter.pubkey())[0]
    whole = world.local.cluster.account(profile)
    world.close_account(profile)
    async with serving(settings(backoff_seconds=1, max_interval_seconds=60)) as service:
        world.warp(DURATION)
        await until(lambda: service.value("failed_total", reason="AccountMissing") == 1)
        world.local.cluster.set_account(profile, whole)
        await world.until_ended(party.rentals[0])
        await until(lambda: service.value("ended_total", task="finalize_rental") == 1)


async def test_run_service__node_goes_away_and_comes_back__goes_on(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    [party] = world.running(1)
    async with serving(settings(max_interval_seconds=0.2)) as service:
        with monkeypatch.context() as outage:
            break_requests(outage)
            world.warp(DURATION)
            await until(lambda: bool(service.value("pass_failures_total", error="UnreachableRpc")))
        await world.until_ended(party.rentals[0])


async def test_run_service__metrics_port__serves_the_oldest_overdue(world: World, settings: SettingsOf) -> None:
    [party] = world.running(1)
    world.close_account(find_renter_profile(party.renter.pubkey())[0])
    world.warp(DURATION + 100)
    port = free_ports()
    async with serving(settings(metrics_port=port)):
        page = await asyncio.to_thread(read, f"http://127.0.0.1:{port}/metrics")
    lines = dict(line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
    assert float(lines["gpu_market_keeper_oldest_overdue_seconds"]) >= 100
    assert float(lines["gpu_market_keeper_due"]) == 1


async def test_run_service__health__is_ok_until_no_pass_goes_well(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, key = free_ports(), world.wallet()
    url = f"http://127.0.0.1:{port}/health"
    given = settings(keypair=key, metrics_port=port, stale_seconds=1, idle_interval_seconds=0.2)
    async with serving(given):
        told = await health(url, 200)
        assert told["status"] == "ok" and not told["budget_spent"]
        assert told["balance_lamports"] == world.lamports(key.pubkey())
        with monkeypatch.context() as outage:
            break_requests(outage)
            assert (await health(url, 503))["status"] == "stale"


async def test_run_service__metrics_port_in_use__is_told(world: World, settings: SettingsOf) -> None:
    with pytest.raises(MetricsUnserved, match="Metrics cannot be served"):
        async with serving(settings(metrics_port=world.local.port)):
            pytest.fail("it runs without its metrics")


async def test_run_service__told_to_stop__lands_what_it_has_sent(world: World, settings: SettingsOf) -> None:
    parties = world.running(4)
    world.warp(DURATION)
    async with serving(settings()) as service:
        service.stop.set()
    assert service.summary is not None
    assert {ended.rental for ended in service.summary.ended} == rentals(parties)
    assert not await world.rentals()


def rentals(parties: Sequence[Party]) -> set[Pubkey]:
    """Everybody's last rental."""
    return {party.rentals[-1] for party in parties}


def read(url: str) -> str:
    """A page's text."""
    with urlopen(url, timeout=PATIENCE) as response:
        text: str = response.read().decode()
        return text


async def health(url: str, status: int) -> dict[str, Any]:
    """A service's report on its health once it answers with a status: on a busy machine a pass takes long."""
    async with asyncio.timeout(PATIENCE):
        while (told := await asyncio.to_thread(answer_of, url))[0] != status:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    return dict(json.loads(told[1]))


def answer_of(url: str) -> tuple[int, str]:
    """The status and the text of a page."""
    try:
        with urlopen(url, timeout=PATIENCE) as response:
            return int(response.status), response.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def break_requests(outage: pytest.MonkeyPatch) -> None:
    """Requests find nobody."""

    async def refused(self: HttpClient, body: bytes) -> HttpAnswer:
        raise NoConnection("nobody answers")

    outage.setattr(HttpClient, "post", refused)


async def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Waits for what another task of this process brings about."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
