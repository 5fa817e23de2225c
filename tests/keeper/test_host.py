"""Scoring hosts: which are due, and a keeper that does it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from solana.rpc.commitment import Confirmed
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Host, Listing
from anchor_client.generated.pdas import find_host
from anchor_client.solana.pubsub import subscriber
from keeper.loop import run_once, run_service
from keeper.metrics import KeeperMetrics
from keeper.tasks.host import UPDATE_REPUTATION, HostSubject, host_subjects
from keeper.tasks.task import find_due
from tests.anchor_client.price_oracle import blank
from tests.markets.parties import SettingsOf, World
from tests.processes.patience import PATIENCE

INTERVAL = 86_400
NOW = 2_000_000


def host(scored_at: int, *, open_listings: int = 1, score_round: int = 0) -> Host:
    return blank(Host, scored_at=scored_at, registered_at=1_000, open_listings=open_listings, score_round=score_round)


async def score_round(world: World, address: Pubkey) -> int:
    host = await world.reader.read(Host, address)
    assert host is not None
    return host.score_round


def due(hosts: Mapping[Pubkey, Host], listings: Mapping[Pubkey, Listing]) -> list[HostSubject]:
    """The hosts to score at NOW."""
    found = find_due([UPDATE_REPUTATION], host_subjects(hosts, listings, INTERVAL), NOW)
    return [each.subject for each in found]


def test_find_due__around_the_interval__from_it_on() -> None:
    one, two, three, four = (Pubkey.new_unique() for _ in range(4))
    hosts = {
        one: host(NOW - INTERVAL),
        two: host(NOW - INTERVAL + 1),
        three: host(0),
        four: host(0, open_listings=0),
    }
    assert [subject.address for subject in due(hosts, {})] == [three, one]


def test_find_due__listings__only_those_not_counted_for_the_next_score() -> None:
    address, counted, waiting, foreign = (Pubkey.new_unique() for _ in range(4))
    listings = {
        counted: blank(Listing, host=address, score_round=4),
        waiting: blank(Listing, host=address, score_round=3),
        foreign: blank(Listing, host=foreign, score_round=0),
    }
    [subject] = due({address: host(5, score_round=3)}, listings)
    assert subject.listings == (waiting,)
    full = replace(host(5), score_round=2**32 - 1)
    [subject] = due({address: full}, {counted: replace(listings[counted], score_round=0)})
    assert subject.listings == ()


def test_find_due__round_that_has_begun__leaves_newer_listings_out() -> None:
    address, waiting, newer = (Pubkey.new_unique() for _ in range(3))
    listings = {waiting: blank(Listing, host=address, id=6), newer: blank(Listing, host=address, id=7)}
    [subject] = due({address: replace(host(5), round_end=7)}, listings)
    assert subject.listings == (waiting,)
    [subject] = due({address: host(5)}, listings)
    assert set(subject.listings) == {waiting, newer}


async def test_run_once__hosts_due__are_scored_once_an_interval(world: World, settings: SettingsOf) -> None:
    parties = [world.party() for _ in range(3)]
    addresses = [find_host(party.host.pubkey())[0] for party in parties]

    async def rounds() -> list[int]:
        return [await score_round(world, address) for address in addresses]

    await run_once(settings())
    assert await rounds() == [0, 0, 0]
    for _ in range(2):
        await run_once(settings(cranks={"host"}))
        assert await rounds() == [1, 1, 1]
    world.warp(INTERVAL)
    world.fall_silent(parties[0])
    world.beat(parties[0])
    await run_once(settings(cranks={"host"}))
    assert await rounds() == [2, 2, 2]
    hosts = await world.reader.read_all(Host)
    assert hosts[addresses[0]].up_seconds < hosts[addresses[0]].tracked_seconds


async def test_run_service__new_host__is_scored(world: World, settings: SettingsOf) -> None:
    party = world.party()
    address = find_host(party.host.pubkey())[0]
    ready, stop, metrics = asyncio.Event(), asyncio.Event(), KeeperMetrics()
    service = asyncio.create_task(
        run_service(settings(cranks={"host"}, cranks_seconds=0.2), ready=ready, stop=stop, metrics=metrics)
    )
    try:
        async with asyncio.timeout(PATIENCE), subscriber(world.local.ws_url) as socket:
            await socket.account_subscribe(pubkey=address, commitment=Confirmed, encoding="base64")
            async for _ in socket:
                if await score_round(world, address) > 0:
                    break
    finally:
        stop.set()
        await service
    assert metrics.cranks_done.labels("host", "update_reputation")._value.get() >= 1
