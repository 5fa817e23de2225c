"""sweep_stakers: anyone moves the stakers' share of a vault's fees to their rewards. Invariants MKT-1, MKT-2, STK-1."""

from __future__ import annotations

from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_vault

from .harness.actors import AUTHORITY, GPUM, KEEPER, MINTS, STRANGER, USDC, WSOL
from .harness.flows import running
from .harness.keys import address
from .harness.outcome import expect
from .harness.staking import POOL, STREAMS, pool_of, sweep_stakers
from .harness.terms import HOUR, USDC_TERMS
from .harness.tokens import put_mint, put_tokens, token_address
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


def test_sweep_stakers__mint_without_a_stream__is_refused(world: World) -> None:
    mint = address("mint without a stream")
    put_mint(world.cluster, mint)
    world.act(instructions.add_payment_mint(authority=AUTHORITY, mint=mint, terms=USDC_TERMS))
    put_tokens(world.cluster, mint, find_vault(mint, 0)[0], 0)
    world.act(instructions.add_vault(caller=AUTHORITY, mint=mint, shard=0))
    put_tokens(world.cluster, mint, POOL, 0)
    with expect(errors.UnknownRewardStream):
        world.act(sweep_stakers(mint))


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
