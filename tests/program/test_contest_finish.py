"""contest_finish: the renter denies that the command had ended; neither side gets what was held back.

Invariants RNT-2, RNT-21, MKT-2.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental

from .harness.actors import HOST, KEEPER, LISTING, LISTINGS, MINTS, RENTER, TENANT
from .harness.flows import Flow, accepted, finished, opened, running
from .harness.outcome import expect
from .harness.terms import DAY
from .harness.world import World

TIP = 20_000


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("wait", [0, DAY - 1])
def test_contest_finish__renter_in_time__makes_the_holdback_a_fee(world: World, mint: Pubkey, wait: int) -> None:
    rental = finished(world, mint=mint)
    vault, tokens = world.vault(mint), [world.tokens(who, mint) for who in (HOST, RENTER)]
    seq = world.listing().seq
    world.wait(wait)
    outcome = world.act(world.contest_finish(rental))
    assert outcome.event(events.FinishContested) == events.FinishContested(
        rental=rental,
        renter=RENTER,
        listing=LISTING,
        mint=mint,
        amount=vault.liabilities,
        at=world.now,
        seq=5,
        listing_seq=seq + 1,
        vault_seq=vault.seq + 1,
    )
    after = world.vault(mint)
    assert (after.liabilities, after.fees_due) == (0, vault.fees_due + vault.liabilities)
    assert [world.tokens(who, mint) for who in (HOST, RENTER)] == tokens
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + TIP
    listing = world.listing()
    assert (listing.finished, listing.completed, listing.failed) == (0, 0, 0)
    assert not world.exists(rental)


@pytest.mark.parametrize("late", [0, 1, DAY])
def test_contest_finish__window_is_over__is_refused(world: World, late: int) -> None:
    rental = finished(world)
    world.wait(DAY + late)
    with expect(errors.ContestWindowOver):
        world.act(world.contest_finish(rental))


@pytest.mark.parametrize("signer", [HOST, TENANT, KEEPER])
def test_contest_finish__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongRenter):
        world.act(world.contest_finish(finished(world), renter=signer))


@pytest.mark.parametrize("bring", [opened, accepted, running])
def test_contest_finish__not_finished__is_refused(world: World, bring: Flow) -> None:
    with expect(errors.WrongRentalState):
        world.act(world.contest_finish(bring(world, may_finish=True)))


def test_contest_finish__another_listing__is_refused(world: World) -> None:
    with expect(errors.WrongListing):
        world.act(world.contest_finish(finished(world), listing=LISTINGS[1]))
