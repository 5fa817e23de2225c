"""Listings follow the catalog's points without their hosts having to ask."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated.accounts import GpuModel, Host, Listing
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types import GpuTerms
from keeper.loop import run_once
from keeper.tasks.mfp import REFRESH_LISTING, catalog_subjects
from keeper.tasks.task import find_due
from tests.anchor_client.price_oracle import blank
from tests.keeper.cranking import Cranking
from tests.markets.parties import SettingsOf, World
from tests.markets.spec import SPEC, spec_with


def set_points(world: World, points: int) -> None:
    authority, terms = world.keys.authority, GpuTerms(points=points, reference_usd=1)
    world.run(authority, [ix.set_gpu_model(number=SPEC.gpu_model, terms=terms, authority=authority.pubkey())])


async def points(world: World, listing: Pubkey) -> int:
    found = await world.reader.read(Listing, listing)
    assert found is not None
    return found.points


@pytest.mark.parametrize(
    ("model", "count", "held", "due"),
    [
        (1, 8, (800, 5), False),
        (1, 8, (799, 5), True),
        (1, 8, (801, 5), True),
        (1, 8, (0, 5), True),
        (1, 8, (800, 4), True),
        (1, 8, (800, 0), True),
        (2, 8, (0, 0), False),
        (2, 8, (1, 0), True),
        (2, 8, (0, 1), True),
        (65_535, 1, (7, 6), False),
        (65_534, 255, (0, 0), False),
    ],
)
def test_find_due__other_terms_than_the_catalogs__only_then(
    model: int, count: int, held: tuple[int, int], due: bool
) -> None:
    models = {
        Pubkey.new_unique(): blank(GpuModel, number=number, points=points, reference_usd=price)
        for number, points, price in ((1, 100, 5), (65_535, 7, 6))
    }
    address, (points, reference_usd) = Pubkey.new_unique(), held
    listing = blank(Listing, gpu_model=model, gpu_count=count, points=points, reference_usd=reference_usd)
    found = find_due([REFRESH_LISTING], catalog_subjects({address: listing}, models), 0)
    assert [each.address for each in found] == [address] * due


async def test_mfp__catalog_changed__listings_and_their_hosts_follow_once(world: World, settings: SettingsOf) -> None:
    parties = [world.party() for _ in range(2)]
    crank = Cranking(world, settings(cranks={"mfp"}))
    assert await crank.tasks() == []
    before = await points(world, parties[0].listing)
    set_points(world, before // SPEC.gpu_count + 3)
    assert await crank.tasks() == ["refresh_listing"] * 2
    for party in parties:
        assert await points(world, party.listing) == before + 3 * SPEC.gpu_count
        host = await world.reader.read(Host, find_host(party.host.pubkey())[0])
        assert host is not None and host.points == before + 3 * SPEC.gpu_count
    assert await crank.tasks() == []


async def test_mfp__two_keepers__do_each_listing_once(world: World, settings: SettingsOf) -> None:
    party = world.party()
    set_points(world, 77)
    first, second = (Cranking(world, settings(cranks={"mfp"})) for _ in range(2))
    assert (await first.tasks(), await second.tasks()) == (["refresh_listing"], [])
    assert await points(world, party.listing) == 77 * SPEC.gpu_count


async def test_mfp__model_outside_the_catalog__is_nothing_to_do(world: World, settings: SettingsOf) -> None:
    party = world.party()
    spec = spec_with(gpu_model=300)
    world.run(party.host, [ix.update_listing(authority=party.host.pubkey(), listing=party.listing, spec=spec)])
    assert await points(world, party.listing) == 0
    set_points(world, 77)
    assert await Cranking(world, settings(cranks={"mfp"})).tasks() == []


async def test_run_once__without_being_told__leaves_points_alone(world: World, settings: SettingsOf) -> None:
    party = world.party()
    before = await points(world, party.listing)
    set_points(world, 77)
    await run_once(settings())
    assert await points(world, party.listing) == before
