"""The feed of a market's API, and what is watched by it: nothing is believed that money or keys depend on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client import errors
from anchor_client.api import feed
from anchor_client.api.feed import Feed
from anchor_client.errors import GpuMarketError
from anchor_client.market import JobState, Market, RequestState, jobs
from anchor_client.market.history import RentalHistory
from anchor_client.orders import Workload
from anchor_client.service.backoff import Backoff
from tests.anchor_client.api.feed_server import feed_server, hello, state
from tests.anchor_client.sealed_orders import SealedOrderMemory
from tests.anchor_client.test_jobs import NOWHERE, open_job
from tests.anchor_client.test_request import WANTED
from tests.indexer.service import indexed
from tests.markets.marketplace import Marketplace
from tests.processes.ports import free_ports

LIFE = [JobState.QUEUED, JobState.PROVISIONING, JobState.RUNNING, JobState.COMPLETED]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "UNTIL_DONE", Backoff(first=0.01, most=0.02))


@dataclass(frozen=True)
class Node:
    """The cluster, as the indexer's tests name it."""

    http_url: str
    ws_url: str


@asynccontextmanager
async def api_of(marketplace: Marketplace, folder: Path) -> AsyncIterator[str]:
    """The URL of a running indexer's API."""
    node = Node(marketplace.cluster.rpc_url, marketplace.cluster.ws_url)
    async with indexed(node, f"sqlite:///{folder / 'index.db'}") as api:
        yield str(api.base_url)


class Watcher:
    """A market that follows an API, and why it ceased to."""

    def __init__(self, marketplace: Marketplace, api_url: str, wallet: Keypair | None = None, **options: Any) -> None:
        self.lost: list[GpuMarketError] = []
        self.market = Market.connect(
            marketplace.cluster.rpc_url,
            wallet,
            ws_url=NOWHERE,
            tokens={"USDC": marketplace.usdc.pubkey()},
            api_url=api_url,
            on_feed_lost=self.lost.append,
            **options,
        )

    async def states(self, job: Pubkey) -> list[JobState]:
        return [status.status async for status in self.market.jobs.watch(job)]


async def live(marketplace: Marketplace, watcher: Watcher, **at: Any) -> list[JobState]:
    """The states that a watcher is told of a rental that goes from one to the next once it has been told the last."""
    wallet = await marketplace.renter()
    states: list[JobState] = []
    async with watcher.market, marketplace.market(wallet) as market, marketplace.market(marketplace.host) as host:
        job = await open_job(market)
        async with aclosing(watcher.market.jobs.watch(job.id)) as statuses:
            async for status in statuses:
                states.append(status.status)
                if (act := at.get(status.status.value)) is not None:
                    await act()
                match status.status:
                    case JobState.QUEUED:
                        await host.rental.accept(job.id, b"sealed")
                    case JobState.PROVISIONING:
                        await host.rental.start(job.id)
                    case JobState.RUNNING:
                        await market.rental.stop(job.id)
    return states


async def test_watch__api_known__tells_every_state_without_reading_the_history(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unread(*_: Any, **__: Any) -> None:
        raise AssertionError("the chain was read")

    async with api_of(marketplace, tmp_path) as api_url:
        watcher = Watcher(marketplace, api_url)
        monkeypatch.setattr(RentalHistory, "events", unread)
        assert await live(marketplace, watcher) == LIFE
    assert watcher.lost == []


async def test_watch__api_that_does_not_answer__follows_the_chain_and_says_so_once(marketplace: Marketplace) -> None:
    watcher = Watcher(marketplace, f"http://127.0.0.1:{free_ports()}")
    assert await live(marketplace, watcher) == LIFE
    assert [type(error) for error in watcher.lost] == [errors.UnreachableApi]


async def test_watch__api_ends_midway__goes_on_from_the_chain_without_repeating(
    marketplace: Marketplace, tmp_path: Path
) -> None:
    api = api_of(marketplace, tmp_path)
    watcher = Watcher(marketplace, await api.__aenter__())

    async def end() -> None:
        await api.__aexit__(None, None, None)

    assert await live(marketplace, watcher, provisioning=end) == LIFE
    assert [type(error) for error in watcher.lost] == [errors.UnreachableApi]


async def test_watch__neither_api_nor_chain_know_it__is_unknown(marketplace: Marketplace, tmp_path: Path) -> None:
    async with api_of(marketplace, tmp_path) as api_url:
        watcher = Watcher(marketplace, api_url)
        async with watcher.market:
            with pytest.raises(errors.UnknownJob):
                await watcher.states(Pubkey.new_unique())
    assert watcher.lost == []


@pytest.mark.parametrize("claimed", ["running", "completed"])
async def test_watch__api_claims_what_the_chain_does_not_have__is_not_believed(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch, claimed: str
) -> None:
    monkeypatch.setattr(jobs, "LAG_SECONDS", 0.1)
    async with marketplace.market(await marketplace.renter()) as market:
        job = await open_job(market)
        told = (await market.jobs.with_history(job.id)).to_json()
        lie = told | {"status": claimed, "history": [*told["history"], told["history"][0] | {"status": claimed}]}
        async with feed_server(lambda _: ([hello(), state(f"job:{job.id}", lie)], None)) as server:
            watcher = Watcher(marketplace, server.url)
            async with watcher.market, aclosing(watcher.market.jobs.watch(job.id)) as statuses:
                assert (await anext(statuses)).status is JobState.QUEUED
                assert [type(error) for error in watcher.lost] == [errors.WrongApi]
                await market.rental.stop(job.id)
                assert [status.status async for status in statuses] == [JobState.CANCELLED]


async def test_watch__api_silent_while_the_chain_goes_on__follows_the_chain(
    marketplace: Marketplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anchor_client.market.followed.IDLE_SECONDS", 0.1)
    async with marketplace.market(await marketplace.renter()) as market:
        job = await open_job(market)
        told = (await market.jobs.with_history(job.id)).to_json()
        async with feed_server(lambda _: ([hello(), state(f"job:{job.id}", told)], None)) as server:
            watcher = Watcher(marketplace, server.url)
            async with watcher.market, aclosing(watcher.market.jobs.watch(job.id)) as statuses:
                assert (await anext(statuses)).status is JobState.QUEUED
                await market.rental.stop(job.id)
                assert [status.status async for status in statuses] == [JobState.CANCELLED]
            assert "behind the chain" in watcher.lost[0].message


async def test_await_match__api_claims_a_match__order_goes_to_nobody_before_the_chain_has_one(
    marketplace: Marketplace,
) -> None:
    renter, orders = await marketplace.renter(), SealedOrderMemory()
    async with marketplace.market(await marketplace.renter()) as matcher:
        lie: dict[str, Any] = {}
        async with feed_server(lambda _: ([hello(), state("request", lie)], None)) as server:
            watcher = Watcher(marketplace, server.url, renter, deliver_order=orders.deliver)
            async with watcher.market as market:
                request = await market.request.open(WANTED, Workload.of(command="true"))
                elsewhere = {"status": "matched", "listing": str(marketplace.listings[0]), "job": str(request.id)}
                lie |= request.to_json() | elsewhere
                waiting = asyncio.create_task(market.request.await_match(request.id))
                async with aclosing(matcher.request.watch(request.id)) as states:
                    assert (await anext(states)).is_open
                assert await orders.find(renter.pubkey(), request.order_hash) is None
                [listing] = await marketplace.add_machines(1)
                matched = await matcher.request.match(request.id, listing)
                assert (await waiting).id == matched.id
                assert await orders.find(renter.pubkey(), request.order_hash) is not None


async def test_request_watch__api_known__tells_that_it_ended(marketplace: Marketplace, tmp_path: Path) -> None:
    renter = await marketplace.renter()
    async with api_of(marketplace, tmp_path) as api_url, marketplace.market(renter) as market:
        watcher = Watcher(marketplace, api_url)
        async with watcher.market, aclosing(watcher.market.request.watch((await open_request(market)).id)) as states:
            first = await anext(states)
            await market.request.cancel(first.id)
            assert [each.status for each in (first, await anext(states))] == [RequestState.OPEN, RequestState.CANCELLED]
    assert watcher.lost == []


async def open_request(market: Market) -> Any:
    return await market.request.open(replace(WANTED, max_usd=3_000_000))


async def test_follow__connection_lost__goes_on_behind_the_last_cursor() -> None:
    def script(number: int) -> tuple[list[dict[str, Any]], int | None]:
        if number == 0:
            return [hello("ab-3"), {"type": "event", "cursor": "ab-7"}, {"type": "final", "cursor": None}], 1001
        return [hello("ab-7"), {"type": "event", "cursor": "ab-8"}], None

    async with feed_server(script) as server, aclosing(Feed(server.url).follow("all")) as messages:
        cursors = [told.cursor for told in [await anext(messages) for _ in range(5)] if told is not None]
    assert cursors == ["ab-3", "ab-7", None, "ab-7", "ab-8"]
    assert server.asked == [{"topic": ["all"]}, {"topic": ["all"], "after": ["ab-7"]}]


@pytest.mark.parametrize(("name", "attempts"), [("feed_full", feed.MOST_FAILURES), ("not_understood", 1)])
async def test_follow__refused__tries_again_only_what_may_pass(name: str, attempts: int) -> None:
    refusal = {"type": "error", "error": name, "detail": "no"}
    async with feed_server(lambda _: ([refusal], 1008)) as server:
        with pytest.raises(errors.ApiRefused, match="no"):
            await anext(Feed(server.url).follow("all"))
    assert len(server.asked) == attempts


@pytest.mark.parametrize("message", [{}, {"type": 1}])
async def test_follow__what_is_no_feed__is_the_wrong_api(message: dict[str, Any]) -> None:
    async with feed_server(lambda _: ([message], None)) as server:
        with pytest.raises(errors.WrongApi):
            await anext(Feed(server.url).follow("all"))
