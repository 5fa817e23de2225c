"""register_host: the signer becomes a host, not yet approved. Invariant SYS-4."""

from __future__ import annotations

from typing import Any

from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.host import Host
from anchor_client.generated.pdas import find_host, find_stake

from .harness.actors import HOST, RIVAL, RIVAL_LISTING, STRANGER
from .harness.cluster import START
from .harness.outcome import expect, expect_refusal
from .harness.scenarios import IDL
from .harness.world import World

SEAL_KEY = bytes(range(32))


def register(authority: Pubkey = STRANGER, seal_key: bytes = SEAL_KEY, **accounts: Any) -> Instruction:
    return instructions.register_host(authority=authority, seal_key=seal_key, **accounts)


def test_register_host__wallet__is_an_unapproved_host(world: World) -> None:
    outcome = world.act(register())
    address, bump = find_host(STRANGER)
    assert world.host(STRANGER) == Host(
        version=1,
        bump=bump,
        approved=0,
        stake=find_stake(STRANGER)[0],
        reserved_flags=bytes(5),
        authority=STRANGER,
        seal_key=SEAL_KEY,
        seq=1,
        registered_at=START,
        tracked_seconds=0,
        up_seconds=0,
        next_listing=0,
        open_listings=0,
        mfp_locked=0,
        mfp_unlocking=0,
        mfp_unlock_at=0,
        rating_sum=0,
        rating_weight=0,
        paid_usd=0,
        scored_at=0,
        completed=0,
        failed=0,
        points=0,
        score=0,
        reserved_score=bytes(2),
        score_round=0,
        round_waiting=0,
        round_end=0,
        refused=0,
        subsidy_day=0,
        subsidy_budget=0,
        subsidy_booked=0,
        reserved=bytes(6),
        not_as_listed_usd=0,
        reserved_tail=bytes(8),
    )
    assert outcome.event(events.HostRegistered) == events.HostRegistered(
        host=address, authority=STRANGER, seal_key=SEAL_KEY, at=START, seq=1
    )
    assert outcome.lamports_gained(STRANGER) == -world.cluster.rent(Host.SIZE)


def test_register_host__seal_key_of_zeros__is_refused(world: World) -> None:
    with expect(errors.InvalidSealKey):
        world.act(register(seal_key=bytes(32)))


def test_register_host__twice__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(register(HOST))


def test_register_host__address_of_another_wallet__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(register(host=find_host(Pubkey.from_string("11111111111111111111111111111112"))[0]))


def test_register_host__prefunded_address__works(world: World) -> None:
    rent = world.cluster.rent(Host.SIZE)
    world.cluster.set_account(find_host(STRANGER)[0], Account(rent - 1, b"", Pubkey.default()))
    assert world.act(register()).lamports_gained(STRANGER) == -1


def test_register_host__host_with_history__is_never_closed(world: World) -> None:
    """No instruction closes a host, so no number of a listing is ever given again; nor can it be registered again."""
    assert "close_host" not in {each["name"] for each in IDL["instructions"]}
    listing = world.listing(RIVAL_LISTING)
    world.act(instructions.close_listing(authority=RIVAL, listing=RIVAL_LISTING, listing_data=listing))
    host = world.host(RIVAL)
    assert (host.open_listings, host.next_listing) == (0, 1)
    with expect_refusal():
        world.act(instructions.register_host(authority=RIVAL, seal_key=bytes(RIVAL)))
    world.act(world.create_listing(RIVAL))
    assert world.host(RIVAL).next_listing == 2
