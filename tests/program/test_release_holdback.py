"""release_holdback: anyone pays the host what a finished rental held back, once it can no longer be contested.

Invariants RNT-2, RNT-21, HST-5, KPR-1.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental

from .harness.actors import HOST, KEEPER, LISTING, LISTINGS, MINTS, RENTER, RIVAL, TENANT, USDC
from .harness.flows import Flow, accepted, finished, opened, running
from .harness.outcome import expect
from .harness.terms import DAY
from .harness.tokens import payout_address, token_address
from .harness.world import World


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize(("seconds", "counts"), [(599, False), (600, True)])
def test_release_holdback__window_is_over__pays_the_host(
    world: World, mint: Pubkey, seconds: int, counts: bool
) -> None:
    rental = finished(world, mint=mint, seconds=seconds)
    held = world.vault(mint).liabilities
    paid, seqs = world.tokens(HOST, mint), (world.listing().seq, world.vault(mint).seq)
    world.wait(DAY)
    outcome = world.act(world.release_holdback(rental))
    assert outcome.event(events.HoldbackReleased) == events.HoldbackReleased(
        rental=rental,
        listing=LISTING,
        mint=mint,
        amount=held,
        completed=counts,
        released_by=KEEPER,
        at=world.now,
        seq=5,
        listing_seq=seqs[0] + 1,
        vault_seq=seqs[1] + 1,
    )
    assert (world.tokens(HOST, mint) - paid, world.vault(mint).liabilities) == (held, 0)
    assert outcome.lamports_gained(KEEPER) == 0
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE)
    assert (world.listing().completed, world.listing().finished) == (int(counts), 0)
    assert not world.exists(rental)


@pytest.mark.parametrize("caller", [RENTER, HOST, TENANT])
def test_release_holdback__anyone__may_send_it(world: World, caller: Pubkey) -> None:
    rental = finished(world)
    world.wait(DAY)
    assert world.act(world.release_holdback(rental, caller=caller)).event(events.HoldbackReleased).released_by == caller


@pytest.mark.parametrize("early", [1, DAY])
def test_release_holdback__before_the_window_is_over__is_refused(world: World, early: int) -> None:
    rental = finished(world)
    world.wait(DAY - early)
    with expect(errors.ContestWindowOpen):
        world.act(world.release_holdback(rental))


@pytest.mark.parametrize("bring", [opened, accepted, running])
def test_release_holdback__not_finished__is_refused(world: World, bring: Flow) -> None:
    rental = bring(world, may_finish=True)
    world.wait(DAY)
    with expect(errors.WrongRentalState):
        world.act(world.release_holdback(rental))


def test_release_holdback__account_of_another__is_refused(world: World) -> None:
    rental = finished(world, mint=USDC)
    world.wait(DAY)
    with expect(errors.WrongTokenOwner):
        world.act(world.release_holdback(rental, host_payout=token_address(KEEPER, USDC)))
    with expect(errors.WrongTokenOwner):
        world.act(world.release_holdback(rental, host_payout=payout_address(RIVAL, USDC)))
    with expect(errors.WrongRenter):
        world.act(world.release_holdback(rental, renter=TENANT))
    with expect(errors.WrongListing):
        world.act(world.release_holdback(rental, listing=LISTINGS[1]))
