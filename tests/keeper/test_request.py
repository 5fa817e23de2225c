"""Requests find the best machine that fits, within ten seconds of one being there, and end when their time is over."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, PaymentMint, Request
from anchor_client.generated.instructions import update_payment_mint
from anchor_client.generated.pdas import find_host, find_payment_mint
from anchor_client.generated.types import OracleKind
from anchor_client.market.reads import MarketReader
from anchor_client.rules.catalog import REGION_BY_SLUG
from anchor_client.rules.host import UNSCORED_BPS
from keeper.loop import run_once
from keeper.snapshot import read_snapshot
from keeper.tasks.matching import find_matches
from keeper.tasks.request import CONSIDER_SECONDS
from keeper.tasks.supply import RequestSupply, read_supply
from tests.keeper.test_governance import TERMS
from tests.keeper.test_service import serving
from tests.markets.parties import SOL, TIP, Party, SettingsOf, World
from tests.markets.spec import SPEC
from tests.program.harness.pyth import RECEIVER, PriceUpdate

EAST, WEST, PARIS, MUMBAI = (REGION_BY_SLUG[slug].id for slug in ("us-east", "us-west", "eu-west", "ap-south"))


async def look(world: World) -> tuple[RequestSupply, Mapping[Pubkey, Request], int]:
    """A keeper's view of requests: supply, the requests themselves, and the time."""
    snapshot = await read_snapshot(world.reader)
    supply = await read_supply(MarketReader.over(world.reader), snapshot.requests.values(), snapshot.now)
    assert supply is not None
    return supply, snapshot.requests, snapshot.now


def chosen(supply: RequestSupply, requests: Mapping[Pubkey, Request], now: int, **without: Any) -> list[Pubkey]:
    found = find_matches(supply, requests, now, **({"taken": (), "refused": ()} | without))
    return [due.subject.machine.address for due in found if due.subject.machine is not None]


def with_listing(supply: RequestSupply, party: Party, **changes: Any) -> RequestSupply:
    listings = {**supply.listings, party.listing: replace(supply.listings[party.listing], **changes)}
    return replace(supply, listings=listings)


def with_host(supply: RequestSupply, party: Party, **changes: Any) -> RequestSupply:
    host = find_host(party.host.pubkey())[0]
    return replace(supply, hosts={**supply.hosts, host: replace(supply.hosts[host], **changes)})


async def test_find_matches__machines_that_fit__by_reputation_then_price_then_distance(world: World) -> None:
    one, two, three = (world.party() for _ in range(3))
    world.request(one, near_region=PARIS)
    supply, requests, now = await look(world)
    supply = with_listing(supply, one, authority=Pubkey.new_unique())
    supply = with_listing(supply, one, region=MUMBAI)
    supply = with_listing(supply, two, region=EAST)
    supply = with_listing(supply, three, region=PARIS)
    assert chosen(supply, requests, now) == [three.listing]
    assert chosen(supply, requests, now, taken=[three.listing]) == [two.listing]
    cheaper = with_listing(supply, one, on_demand_usd=SPEC.on_demand_usd - 1)
    assert chosen(cheaper, requests, now) == [one.listing]
    disgraced = with_host(cheaper, one, score=UNSCORED_BPS - 1, scored_at=now)
    assert chosen(disgraced, requests, now) == [three.listing]
    reputed = with_host(cheaper, two, score=UNSCORED_BPS + 1, scored_at=now)
    assert chosen(reputed, requests, now) == [two.listing]
    [address] = requests
    assert chosen(reputed, requests, now, refused=[(address, two.listing)]) == [one.listing]
    owing = with_listing(reputed, two, owed=1)
    assert chosen(owing, requests, now) == [one.listing]


async def test_run_once__mint_priced_by_pyth__is_matched_by_the_configured_update(
    world: World, settings: SettingsOf
) -> None:
    """No update stands where Pyth would publish it: the keeper has to be told of another account."""
    token, feed, feed_id = world.tokens.usdc, Pubkey.new_unique(), Pubkey.new_unique()
    address = find_payment_mint(token.mint)[0]
    known = await world.reader.read(PaymentMint, address)
    assert known is not None
    terms = replace(
        TERMS,
        pinned_price=0,
        oracle_kind=OracleKind.PYTH,
        oracle=feed_id,
        shards=known.shards,
        max_age=600,
        max_confidence_bps=100,
    )
    authority = world.keys.authority
    change = update_payment_mint(authority=authority.pubkey(), payment_mint=address, terms=terms)
    world.run(authority, [change])
    machine, renter = world.party(token), world.party(token)
    world.local.cluster.set_account(renter.listing, None)
    update = PriceUpdate(world.now(), price=100_000_000, confidence=0, feed_id=bytes(feed_id)).encode()
    world.local.cluster.set_account(feed, Account(SOL, update, RECEIVER))
    request = world.request(renter, token=token, price_feed=feed)
    await run_once(settings())
    assert set(await world.reader.read_all(Request)) == {request}
    await run_once(settings(price_feeds={str(token.mint): str(feed)}))
    assert not await world.reader.read_all(Request)
    listing = await world.reader.read(Listing, machine.listing)
    assert listing is not None and listing.current == renter.rentals[-1]


async def test_find_matches__two_requests_and_one_machine__the_longer_waiting_one_has_it(world: World) -> None:
    owner, first, second = (world.party() for _ in range(3))
    supply_of = {owner.listing}
    early = world.request(first)
    world.warp(5)
    world.beat(owner)
    world.request(second)
    supply, requests, now = await look(world)
    supply = replace(supply, listings={place: supply.listings[place] for place in supply_of})
    found = find_matches(supply, requests, now, taken=(), refused=())
    assert [due.address for due in found] == [early]


@pytest.mark.parametrize(
    "changes",
    [
        {"gpu_model": 2},
        {"gpu_count": SPEC.gpu_count + 1},
        {"region": WEST},
        {"mrl_seconds": 599},
        {"visible": 0},
        {"current": Pubkey.new_unique()},
        {"challenger": Pubkey.new_unique()},
        {"last_heartbeat_at": 0},
        {"on_demand_usd": 2 * SPEC.on_demand_usd + 1},
        {"on_demand_usd": 1},
    ],
)
async def test_find_matches__machine_that_the_program_would_refuse__is_left_alone(
    world: World, changes: dict[str, Any]
) -> None:
    party, renter = world.party(), world.party()
    world.request(renter, regions=1 << SPEC.region)
    supply, requests, now = await look(world)
    supply = replace(supply, listings={party.listing: supply.listings[party.listing]})
    assert chosen(supply, requests, now) == [party.listing]
    assert chosen(with_listing(supply, party, **changes), requests, now) == []


async def test_find_matches__host_or_renter_that_the_program_would_refuse__is_left_alone(world: World) -> None:
    party, renter = world.party(), world.party()
    world.request(renter)
    supply, requests, now = await look(world)
    supply = replace(supply, listings={party.listing: supply.listings[party.listing]})
    [(address, request)] = requests.items()
    wallet, profile = request.renter, supply.profiles[request.renter]
    market = supply.market
    assert chosen(supply, requests, now) == [party.listing]
    windowed = replace(supply, market=replace(market, priority_window=60))
    kept = with_listing(windowed, party, idle_since=now - 59)
    poor = {key: replace(vault, subsidy_pool=0) for key, vault in supply.vaults.items()}
    least = bisect_left(
        range(request.deposit), 1, key=lambda it: len(chosen(supply, {address: replace(request, deposit=it)}, now))
    )
    frugal = replace(request, deposit=least)
    assert chosen(supply, {address: frugal}, now) == [party.listing]
    refused = (
        (with_host(supply, party, approved=0), request),
        (supply, replace(request, min_score_bps=1)),
        (supply, replace(request, expires_at=now)),
        (supply, replace(request, deposit=1)),
        (with_listing(supply, party, authority=wallet), request),
        (replace(supply, profiles={wallet: replace(profile, active_rentals=market.quota_base)}), request),
        (replace(supply, market=replace(market, quota_region_base=0, quota_spend_step=0)), request),
        (kept, request),
        (replace(supply, vaults=poor), frugal),
        (replace(supply, vaults={}), request),
        (replace(supply, prices={}), request),
    )
    for other, changed in refused:
        assert chosen(other, {address: changed}, now) == []
    assert chosen(with_listing(windowed, party, idle_since=now - 60), requests, now) == [party.listing]
    staked = replace(kept, stakes={wallet: max(market.priority_stake, 1)})
    assert chosen(staked, requests, now) == [party.listing]


async def test_run_once__requests_and_machines__are_matched_for_the_tips(world: World, settings: SettingsOf) -> None:
    parties = [world.party() for _ in range(3)]
    for party in parties:
        world.request(party)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())

    summary = await run_once(settings(keypair=keeper))

    assert [ended.task for ended in summary.ended] == ["match_request"] * 3
    assert summary.earned_lamports == 0 and summary.exit_code == 0
    assert world.lamports(keeper.pubkey()) - before == -summary.spent_lamports
    rentals = await world.rentals()
    for party in parties:
        world.start(party)
    assert world.lamports(keeper.pubkey()) - before == 3 * TIP - summary.spent_lamports
    assert set(rentals) == {party.rentals[0] for party in parties}
    assert {rental.listing for rental in rentals.values()} == {party.listing for party in parties}
    assert await world.reader.read_all(Request) == {}


async def test_run_once__match_that_never_starts__is_ended_for_its_cost(world: World, settings: SettingsOf) -> None:
    party = world.party()
    world.request(party)
    keeper = world.wallet()
    await run_once(settings(keypair=keeper))
    world.warp(901)
    summary = await run_once(settings(keypair=keeper))
    assert [(ended.task, ended.tip_lamports) for ended in summary.ended] == [("cancel_unstarted", 5_000)]


async def test_run_once__request_past_its_end__is_refunded(world: World, settings: SettingsOf) -> None:
    token = world.tokens.market_token
    party = world.party()
    held = world.tokens_of(party.renter.pubkey(), token)
    request = world.request(party, expires_at=world.now() + 60)
    assert world.tokens_of(party.renter.pubkey(), token) < held
    world.warp(60)

    summary = await run_once(settings())

    assert [(ended.rental, ended.task) for ended in summary.ended] == [(request, "expire_request")]
    assert world.tokens_of(party.renter.pubkey(), token) == held
    await world.assert_balanced(token)


async def test_run_once__renter_without_a_token_account__waits_until_they_have_one(
    world: World, settings: SettingsOf
) -> None:
    token, party = world.tokens.market_token, world.party()
    world.request(party)
    world.party()
    keep = world.local.cluster.account(world.associated(party.renter.pubkey(), token))
    world.close_account(world.associated(party.renter.pubkey(), token))
    summary = await run_once(settings())
    assert [entry.reason for entry in summary.failed.values()] == ["PayeeNotPayable"]
    world.local.cluster.set_account(world.associated(party.renter.pubkey(), token), keep)
    assert len((await run_once(settings())).ended) == 1


async def test_run_service__machine_falls_idle__is_matched_within_ten_seconds(
    world: World, settings: SettingsOf
) -> None:
    """Without notifications too: every request is looked at again in that time."""
    owner, renter = world.party(), world.party()
    for party in (owner, renter):
        show(world, party, False)
    request = world.request(renter)
    async with serving(settings(ws_url=None, max_interval_seconds=60)) as service:
        show(world, owner)
        world.warp(CONSIDER_SECONDS)
        world.beat(owner)
        await world.until_requests_end(request)
    assert service.summary is not None
    assert [ended.task for ended in service.summary.ended] == ["match_request"]


async def test_run_service__request_opens__is_matched_at_once(world: World, settings: SettingsOf) -> None:
    owner, renter = world.party(), world.party()
    show(world, renter, False)
    async with serving(settings(max_interval_seconds=60)) as service:
        request = world.request(renter)
        await world.until_requests_end(request)
    assert service.summary is not None and [ended.rental for ended in service.summary.ended] == [request]
    [rental] = (await world.rentals()).values()
    assert rental.listing == owner.listing


async def test_run_once__renter_with_a_frozen_account__waits_until_it_is_thawed(
    world: World, settings: SettingsOf
) -> None:
    party = world.party()
    world.party()
    purse = world.associated(party.renter.pubkey(), world.tokens.market_token)
    request = world.request(party)
    thawed = world.local.cluster.account(purse)
    world.freeze(purse)
    summary = await run_once(settings())
    assert [(entry.reason, address) for address, entry in summary.failed.items()] == [("PayeeNotPayable", request)]
    assert request in await world.reader.read_all(Request)
    world.local.cluster.set_account(purse, thawed)
    assert [ended.rental for ended in (await run_once(settings())).ended] == [request]


def show(world: World, party: Party, visible: bool = True) -> None:
    """Shows the party's machine to renters, or hides it."""
    account = world.local.cluster.account(party.listing)
    assert account is not None
    listing = replace(Listing.decode(account.data), visible=int(visible))
    world.local.cluster.set_account(party.listing, Account(account.lamports, listing.encode(), account.owner))
