"""Accounts, events, discriminators, enums and error codes are what they were: history stays readable.

Accounts keep sizes and offsets; events, enums and errors only grow at their tail.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from solders.account import Account as ChainAccount

from anchor_client.generated import instructions
from anchor_client.generated.accounts import ACCOUNTS
from anchor_client.generated.accounts.catalog import Catalog
from anchor_client.generated.accounts.gpu_model import GpuModel
from anchor_client.generated.accounts.host import Host
from anchor_client.generated.accounts.listing import Listing
from anchor_client.generated.accounts.market import Market
from anchor_client.generated.accounts.meter import Meter
from anchor_client.generated.accounts.payment_mint import PaymentMint
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.accounts.request import Request
from anchor_client.generated.accounts.stake_account import StakeAccount
from anchor_client.generated.accounts.stake_pool import StakePool
from anchor_client.generated.accounts.vault import Vault
from anchor_client.generated.accounts.vote_record import VoteRecord
from anchor_client.generated.pdas import (
    find_gpu_model,
    find_host,
    find_payment_mint,
    find_renter_profile,
    find_stake,
    find_vault,
    find_vote_record,
)
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl.runtime.structs import Account

from .freeze_layouts import FROZEN, layouts
from .harness.actors import GPUM, HOST, LISTING, LISTINGS, MARKET, RENTER
from .harness.charges import disputed, metered
from .harness.flows import requested, running
from .harness.governance import proposed, with_stake
from .harness.staking import CATALOG, POOL, lock_mfp, stake
from .harness.terms import HOUR
from .harness.world import World

BEFORE: Mapping[str, Any] = json.loads(FROZEN.read_text())
NOW = layouts()
VERSION_OFFSET = 8


@pytest.fixture
def written(world: World) -> dict[type[Account], ChainAccount]:
    """One account of every type, as the program wrote it, every one of them changed since it was created."""
    meter = disputed(world, metered(world, listing=LISTINGS[1]))
    rental = running(world)
    world.run(HOUR // 3)
    world.act(world.settle_rental(rental), world.rate_rental(rental, 4), world.extend_rental(rental))
    world.act(stake(), lock_mfp())
    places = {
        Market: MARKET,
        PaymentMint: find_payment_mint(GPUM)[0],
        Vault: find_vault(GPUM, 0)[0],
        Host: find_host(HOST)[0],
        Listing: LISTING,
        Rental: rental,
        RenterProfile: find_renter_profile(RENTER)[0],
        Meter: meter,
        StakePool: POOL,
        StakeAccount: find_stake(RENTER)[0],
        Catalog: CATALOG,
        GpuModel: find_gpu_model(1)[0],
        Request: requested(world),
    }
    proposal = proposed(with_stake(world))
    world.act(instructions.vote(voter=RENTER, proposal=proposal, support=True))
    places |= {Proposal: proposal, VoteRecord: find_vote_record(proposal, RENTER)[0]}
    found = {}
    for kind, place in places.items():
        account = world.cluster.account(place)
        assert account is not None and account.owner == PROGRAM_ID
        found[kind] = account
    return found


def test_layouts__accounts__are_all_here(written: dict[type[Account], ChainAccount]) -> None:
    assert set(written) == set(ACCOUNTS.values())


@pytest.mark.parametrize("kind", ACCOUNTS.values(), ids=lambda kind: kind.__name__)
def test_layouts__written_account__is_read_byte_for_byte(
    written: dict[type[Account], ChainAccount], kind: type[Account]
) -> None:
    data = bytes(written[kind].data)
    frozen = BEFORE["accounts"][kind.__name__]
    assert data[:8].hex() == frozen["discriminator"]
    assert len(data) == frozen["size"]
    assert data[VERSION_OFFSET] == 1 and frozen["offsets"]["version"] == f"{VERSION_OFFSET} u8"
    state: Any = kind.decode(data)
    assert state.encode() == data
    for name, place in frozen["offsets"].items():
        offset = int(place.split()[0])
        encoded = kind.LAYOUT.layouts[name].build(getattr(state, name))
        assert data[offset : offset + len(encoded)] == encoded, name


@pytest.mark.parametrize("kind", ACCOUNTS.values(), ids=lambda kind: kind.__name__)
def test_layouts__account_fields__fill_it_without_a_gap(kind: type[Account]) -> None:
    end = 8
    for name, layout in kind.LAYOUT.layouts.items():
        assert kind.OFFSETS[name] == end, name
        end += layout.sizeof()
    assert end == BEFORE["accounts"][kind.__name__]["size"]


@pytest.mark.parametrize("what", ["accounts", "instructions"])
def test_layouts__frozen__have_not_moved(what: str) -> None:
    assert {name: NOW[what].get(name) for name in BEFORE[what]} == BEFORE[what]


def test_layouts__events__only_grow_at_the_tail() -> None:
    for name, frozen in BEFORE["events"].items():
        now = NOW["events"][name]
        assert now["discriminator"] == frozen["discriminator"]
        assert now["fields"][: len(frozen["fields"])] == frozen["fields"], name


def test_layouts__enums__only_grow_at_the_tail() -> None:
    for name, frozen in BEFORE["enums"].items():
        assert NOW["enums"][name][: len(frozen)] == frozen, name


def test_layouts__error_codes__have_not_moved() -> None:
    assert {name: NOW["errors"].get(name) for name in BEFORE["errors"]} == BEFORE["errors"]


@pytest.mark.parametrize("what", ["accounts", "events", "instructions", "enums", "errors"])
def test_layouts__everything__is_frozen(what: str) -> None:
    """After adding to the program: python -m tests.program.freeze_layouts."""
    assert set(BEFORE[what]) == set(NOW[what])
