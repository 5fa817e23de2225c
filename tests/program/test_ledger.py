"""A ledger that no longer adds up moves no money at all: the last line of defence, reached by no transaction.

Invariants MKT-2, STK-1.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from anchor_client.generated import errors
from anchor_client.generated.pdas import find_vault

from .harness import charges, staking
from .harness.actors import GPUM, LISTINGS, STRANGER
from .harness.endings import ENDINGS, Ending
from .harness.flows import running
from .harness.outcome import expect
from .harness.terms import HOUR
from .harness.world import World


def corrupt(world: World) -> None:
    """One base unit appears in the ledger from nowhere."""
    vault = world.vault()
    world.rewrite(find_vault(GPUM, 0)[0], replace(vault, total_deposited=vault.total_deposited + 1))


@pytest.mark.parametrize("ending", ENDINGS, ids=str)
def test_ledger__unbalanced_vault__ends_nothing(world: World, ending: Ending) -> None:
    rental = ending.prepare(world)
    act = ending.act(world, rental)
    corrupt(world)
    with expect(errors.LedgerMismatch):
        world.act(act)


def test_ledger__unbalanced_vault__takes_and_pays_nothing(world: World) -> None:
    ended, rental = running(world, listing=LISTINGS[1]), running(world)
    world.run(60)
    world.act(world.stop_rental(ended))
    acts = (
        world.open_rental(listing=LISTINGS[2]),
        world.extend_rental(rental),
        world.settle_rental(rental),
        world.fund_subsidy(STRANGER, 1),
        world.sweep_fees(),
    )
    corrupt(world)
    for act in acts:
        with expect(errors.LedgerMismatch):
            world.act(act)


def test_ledger__restored__works_again(world: World) -> None:
    rental = running(world)
    world.run(HOUR // 2)
    good = world.vault()
    corrupt(world)
    world.rewrite(find_vault(GPUM, 0)[0], good)
    world.act(world.settle_rental(rental))


def test_ledger__unbalanced_vault__takes_and_pays_no_charges(world: World) -> None:
    final, owed = charges.metered(world), charges.metered(world, listing=LISTINGS[1])
    charges.ended(world, charges.reported(world, final))
    charges.reported(world, owed)
    world.wait(charges.WINDOW + 1)
    corrupt(world)
    for act in (charges.settle_meter(world, owed), charges.close_meter(world, final)):
        with expect(errors.LedgerMismatch):
            world.act(act)


def test_ledger__unbalanced_stream__takes_and_pays_nothing(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    world.act(world.finalize_rental(rental), world.sweep_fees())
    staking.staked(world, staking.TOKEN)
    world.act(staking.fund_rewards(1_000))
    staking.next_epoch(world)
    staking.next_epoch(world)
    pool = staking.pool_of(world)
    first, *others = pool.rewards
    world.rewrite(staking.POOL, replace(pool, rewards=(replace(first, funded=first.funded + 1), *others)))
    for act in (staking.fund_rewards(1), staking.sweep_stakers(), staking.claim()):
        with expect(errors.LedgerMismatch):
            world.act(act)
