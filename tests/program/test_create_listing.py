"""create_listing: an approved host puts a machine on offer under its next number. Invariant SYS-4."""

from __future__ import annotations

from typing import Any

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors, events, instructions
from anchor_client.generated.accounts.listing import Listing
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types.silence import Silence
from tests.markets.spec import SPEC, spec_with

from .harness.actors import HOST, LISTINGS, RIVAL, STRANGER
from .harness.cluster import START
from .harness.outcome import expect, expect_refusal
from .harness.terms import REFERENCE_USD, U64_MAX
from .harness.world import World

NEXT = len(LISTINGS)
BOUNDARY_SPECS: list[dict[str, Any]] = [
    {"gpu_model": 1, "gpu_count": 1, "vram_gb": 1},
    {"gpu_model": 65_535, "gpu_count": 255, "vram_gb": 65_535},
    {"disk_kind": 2},
    {"mrl_seconds": 1},
    {"mrl_seconds": constants.MAX_DURATION},
    {"keep_days": 0},
    {"keep_days": constants.MAX_KEEP_DAYS},
    {"on_demand_usd": 1, "spot_min_usd": 0},
    {"on_demand_usd": 2**32 - 1, "spot_min_usd": 2**32 - 1},
    {"visible": False},
]
REFUSED_SPECS: list[dict[str, Any]] = [
    {"gpu_model": 0},
    {"gpu_count": 0},
    {"vram_gb": 0},
    {"disk_kind": 3},
    {"mrl_seconds": 0},
    {"mrl_seconds": constants.MAX_DURATION + 1},
    {"keep_days": constants.MAX_KEEP_DAYS + 1},
    {"on_demand_usd": 0, "spot_min_usd": 0},
    {"on_demand_usd": 2**32},
    {"on_demand_usd": U64_MAX},
    {"spot_min_usd": SPEC.on_demand_usd + 1},
]


def test_create_listing__approved_host__is_on_offer_and_idle(world: World) -> None:
    host = world.host()
    outcome = world.act(world.create_listing())
    host_address = find_host(HOST)[0]
    address, bump = find_listing(host_address, NEXT)
    said = {name: getattr(SPEC, name) for name in SPEC.LAYOUT.layouts} | {"visible": 1}
    counters = [
        "last_heartbeat_at",
        "tracked_seconds",
        "up_seconds",
        "rating_sum",
        "rating_weight",
        "opened",
        "completed",
        "failed",
    ]
    assert world.listing(address) == Listing(
        version=1,
        bump=bump,
        silence=Silence.HEARD,
        answer_window=0,
        answer_slots=0,
        spot_grace=0,
        grace_left=0,
        is_bound=0,
        reserved=bytes(7),
        counted_at=0,
        marked_at=0,
        answer_slot=0,
        host=host_address,
        authority=HOST,
        operator=HOST,
        current=Pubkey.default(),
        challenger=Pubkey.default(),
        seq=1,
        created_at=START,
        idle_since=START,
        id=NEXT,
        offline_after=0,
        points=200,
        preempt_at=0,
        bandwidth_usd=0,
        bandwidth_free_gb=0,
        storage_usd=0,
        score_round=0,
        paid_usd=0,
        unoffered_since=0,
        refused=0,
        challenge_from=0,
        spec_version=1,
        owed_vault=Pubkey.default(),
        owed=0,
        finished=0,
        reference_usd=REFERENCE_USD,
        departed=Pubkey.default(),
        departed_renter=Pubkey.default(),
        matcher=Pubkey.default(),
        **dict.fromkeys(counters, 0),
        **said,
    )
    assert outcome.event(events.ListingCreated) == events.ListingCreated(
        listing=address,
        host=host_address,
        authority=HOST,
        id=NEXT,
        spec=SPEC,
        at=START,
        seq=1,
        host_seq=host.seq + 1,
        points=200,
        host_points=host.points + 200,
        spec_version=1,
        reference_usd=REFERENCE_USD,
    )
    assert (world.host().next_listing, world.host().open_listings) == (NEXT + 1, NEXT + 1)
    assert outcome.lamports_gained(HOST) == -world.cluster.rent(Listing.SIZE)


@pytest.mark.parametrize("changes", BOUNDARY_SPECS)
def test_create_listing__specification_at_a_bound__is_taken(world: World, changes: dict[str, Any]) -> None:
    event = world.act(world.create_listing(spec=spec_with(**changes))).event(events.ListingCreated)
    assert event.spec == spec_with(**changes)


@pytest.mark.parametrize("changes", REFUSED_SPECS)
def test_create_listing__specification_past_a_bound__is_refused(world: World, changes: dict[str, Any]) -> None:
    with expect(errors.InvalidListingSpec):
        world.act(world.create_listing(spec=spec_with(**changes)))


@pytest.mark.parametrize("number", [NEXT + 1, 2**32 - 1])
def test_create_listing__not_the_next_number__is_refused(world: World, number: int) -> None:
    with expect(errors.NonceMismatch):
        world.act(world.create_listing(id=number))


def test_create_listing__number_in_use__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(world.create_listing(id=0))


def test_create_listing__number_of_a_closed_listing__is_refused(world: World) -> None:
    close = instructions.close_listing(authority=HOST, listing=LISTINGS[0], listing_data=world.listing(LISTINGS[0]))
    world.act(close)
    with expect(errors.NonceMismatch):
        world.act(world.create_listing(id=0))


def test_create_listing__not_approved__is_refused(world: World) -> None:
    world.act(instructions.register_host(authority=STRANGER, seal_key=bytes(STRANGER)))
    with expect(errors.HostNotApproved):
        world.act(world.create_listing(STRANGER))


def test_create_listing__for_another_host__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(world.create_listing(RIVAL, id=NEXT, host=find_host(HOST)[0]))


def test_create_listing__prefunded_address__works(world: World) -> None:
    rent = world.cluster.rent(Listing.SIZE)
    address = find_listing(find_host(HOST)[0], NEXT)[0]
    world.cluster.set_account(address, Account(rent * 2, b"", Pubkey.default()))
    outcome = world.act(world.create_listing())
    assert outcome.lamports_gained(HOST) == 0
    assert world.listing(address).id == NEXT
