"""sweep_stakers: anyone moves the stakers' share of a vault's fees to their rewards.

Invariants MKT-1, MKT-2, STK-1, STK-8.
"""

from __future__ import annotations

from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_vault

from .harness.actors import GPUM, KEEPER, MINTS, STRANGER, TREASURY, USDC, WSOL
from .harness.flows import running
from .harness.outcome import expect
from .harness.staking import FIFTH, POOL, STREAMS, fill_pool, pool_of, put_fifth_mint, sweep_stakers
from .harness.terms import HOUR
from .harness.tokens import put_tokens, token_address
from .harness.world import World


def collect(world: World, mint: Pubkey = GPUM) -> int:
    """Ends a rental and sweeps its fees; gives the stakers' share."""
    rental = running(world, mint=mint)
    world.run(HOUR)
    world.act(world.finalize_rental(rental), world.sweep_fees(mint))
    return world.vault(mint).stakers_due


@pytest.mark.parametrize("mint", MINTS)
def test_sweep_stakers__anyone__moves_the_share_to_the_stream_of_its_mint(world: World, mint: Pubkey) -> None:
    due = collect(world, mint)
    vault, pool = world.vault(mint), pool_of(world)
    outcome = world.act(sweep_stakers(mint))
    assert outcome.event(events.StakersSwept) == events.StakersSwept(
        vault=find_vault(mint, 0)[0],
        pool=POOL,
        stream=STREAMS[mint],
        mint=mint,
        by=KEEPER,
        amount=due,
        queued=due,
        funded=due,
        at=world.now,
        vault_seq=vault.seq + 1,
        pool_seq=pool.seq + 1,
    )
    swept = world.vault(mint)
    assert (swept.stakers_due, swept.total_stakers) == (0, due)
    assert (world.tokens(POOL, mint), due > 0) == (due, True)


def test_sweep_stakers__nothing_due__is_refused(world: World) -> None:
    with expect(errors.ZeroAmount):
        world.act(sweep_stakers())
    collect(world)
    world.act(sweep_stakers())
    with expect(errors.ZeroAmount):
        world.act(sweep_stakers())


@pytest.fixture
def fifth(world: World) -> World:
    """A market with a mint that no stream pays in, and a share for stakers in it."""
    put_fifth_mint(world)
    assert collect(world, FIFTH) > 0
    return world


def test_sweep_stakers__mint_that_may_get_a_stream__waits_for_it(fifth: World) -> None:
    for token in (POOL, TREASURY):
        with expect(errors.UnknownRewardStream):
            fifth.act(sweep_stakers(FIFTH, stream_token=token_address(token, FIFTH)))


def test_sweep_stakers__pool_is_full__releases_the_share_to_the_treasury(fifth: World) -> None:
    """Whatever had waited before and whatever comes later: nothing of a fifth mint's fees gets stuck."""
    fill_pool(fifth)
    for _ in range(2):
        vault, before, pool = fifth.vault(FIFTH), fifth.tokens(TREASURY, FIFTH), pool_of(fifth)
        outcome = fifth.act(sweep_stakers(FIFTH, stream_token=token_address(TREASURY, FIFTH)))
        assert outcome.event(events.StakersReleased) == events.StakersReleased(
            vault=find_vault(FIFTH, 0)[0],
            mint=FIFTH,
            by=KEEPER,
            amount=vault.stakers_due,
            at=fifth.now,
            vault_seq=vault.seq + 1,
        )
        after = fifth.vault(FIFTH)
        assert (after.stakers_due, after.total_stakers) == (0, 0)
        assert after.total_swept == vault.total_swept + vault.stakers_due
        assert fifth.tokens(TREASURY, FIFTH) == before + vault.stakers_due
        assert pool_of(fifth) == pool
        with expect(errors.ZeroAmount):
            fifth.act(sweep_stakers(FIFTH, stream_token=token_address(TREASURY, FIFTH)))
        assert collect(fifth, FIFTH) > 0


@pytest.mark.parametrize("owner", [POOL, STRANGER, KEEPER])
def test_sweep_stakers__pool_is_full__pays_nobody_else(fifth: World, owner: Pubkey) -> None:
    fill_pool(fifth)
    put_tokens(fifth.cluster, FIFTH, owner, 0)
    with expect(errors.WrongTokenOwner):
        fifth.act(sweep_stakers(FIFTH, stream_token=token_address(owner, FIFTH)))


def test_sweep_stakers__pool_is_full__still_pays_the_streams_it_has(fifth: World) -> None:
    fill_pool(fifth)
    collect(fifth, USDC)
    with expect(errors.WrongPoolAccount):
        fifth.act(sweep_stakers(USDC, stream_token=token_address(TREASURY, USDC)))
    fifth.act(sweep_stakers(USDC))


@pytest.mark.parametrize(
    ("error", "accounts"),
    [
        (errors.WrongPoolAccount, {"stream_token": token_address(POOL, USDC)}),
        (errors.WrongPoolAccount, {"stream_token": token_address(STRANGER, GPUM)}),
        (errors.WrongVault, {"vault_token": token_address(find_vault(GPUM, 1)[0], GPUM)}),
        (errors.WrongVault, {"vault": find_vault(GPUM, 1)[0]}),
        (errors.WrongVault, {"vault": find_vault(WSOL, 0)[0]}),
    ],
)
def test_sweep_stakers__account_of_another__is_refused(
    world: World, error: type[errors.ProgramError], accounts: dict[str, Any]
) -> None:
    collect(world)
    with expect(error):
        world.act(sweep_stakers(**accounts))
