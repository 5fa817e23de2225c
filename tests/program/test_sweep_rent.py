"""sweep_rent: what an account holds beyond its rent goes to whose account it is. Invariant SYS-9."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import (
    find_catalog,
    find_gpu_model,
    find_host,
    find_market,
    find_payment_mint,
    find_pool,
    find_renter_profile,
    find_stake,
    find_vault,
)

from .harness.actors import GPUM, HOST, LISTING, RENTER, STRANGER, TREASURY
from .harness.charges import metered
from .harness.flows import requested, running
from .harness.governance import proposed, with_stake
from .harness.outcome import expect
from .harness.world import World

GIFT = 1_234

OWNERS: dict[str, tuple[Pubkey, Pubkey]] = {
    "host": (find_host(HOST)[0], HOST),
    "listing": (LISTING, HOST),
    "renter": (find_renter_profile(RENTER)[0], RENTER),
    "stake": (find_stake(RENTER)[0], RENTER),
    "market": (find_market()[0], TREASURY),
    "payment mint": (find_payment_mint(GPUM)[0], TREASURY),
    "vault": (find_vault(GPUM, 0)[0], TREASURY),
    "model": (find_gpu_model(1)[0], TREASURY),
    "catalog": (find_catalog()[0], TREASURY),
    "pool": (find_pool()[0], TREASURY),
}


def sweep(account: Pubkey, owner: Pubkey) -> Instruction:
    return instructions.sweep_rent(account=account, owner=owner)


@pytest.mark.parametrize("kind", OWNERS)
def test_sweep_rent__more_than_the_rent__goes_to_whose_account_it_is(world: World, kind: str) -> None:
    account, owner = OWNERS[kind]
    with_stake(world)
    world.cluster.give(account, GIFT)
    outcome = world.act(sweep(account, owner))
    assert outcome.events == (events.RentSwept(account=account, owner=owner, lamports=GIFT, at=world.now),)
    assert (outcome.lamports_gained(account), outcome.lamports_gained(owner)) == (-GIFT, GIFT)
    before, after = outcome.before[account], outcome.after[account]
    assert before is not None and after is not None and before.data == after.data
    with expect(errors.NothingToSweep):
        world.act(sweep(account, owner))


@pytest.mark.parametrize("kind", OWNERS)
@pytest.mark.parametrize("lamports", [0, -1])
def test_sweep_rent__no_more_than_the_rent__is_refused(world: World, kind: str, lamports: int) -> None:
    account, owner = OWNERS[kind]
    with_stake(world)
    world.cluster.give(account, lamports)
    with expect(errors.NothingToSweep):
        world.act(sweep(account, owner))


@pytest.mark.parametrize("kind", OWNERS)
def test_sweep_rent__to_another__is_refused(world: World, kind: str) -> None:
    account, owner = OWNERS[kind]
    with_stake(world)
    world.cluster.give(account, GIFT)
    for other in {STRANGER, HOST, RENTER, TREASURY} - {owner}:
        with expect(errors.WrongOwner):
            world.act(sweep(account, other))


@pytest.mark.parametrize(
    "made",
    [running, requested, metered, lambda world: proposed(with_stake(world)), lambda _: RENTER],
    ids=["rental", "request", "meter", "proposal", "wallet"],
)
def test_sweep_rent__of_what_ends_by_itself_or_is_nobodys__is_refused(
    world: World, made: Callable[[World], Pubkey]
) -> None:
    """Their tips and rent are paid out by their ends."""
    account = made(world)
    for owner in (RENTER, HOST, TREASURY):
        if owner != account:
            with expect(errors.RentNotSwept):
                world.act(sweep(account, owner))
