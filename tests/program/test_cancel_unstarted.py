"""cancel_unstarted: anyone ends a rental that its host did not start in time. Invariant RNT-9."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import HOST, KEEPER, MINTS, RENTER, STRANGER, WSOL
from .harness.changes import set_parameter
from .harness.endings import closed
from .harness.flows import Flow, accepted, opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.world import World

TIP = 20_000
PROVISION_TIMEOUT = 900


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("bring", [opened, accepted])
@pytest.mark.parametrize("signer", [KEEPER, STRANGER, RENTER, HOST])
def test_cancel_unstarted__anyone__refunds_everything(world: World, mint: Pubkey, bring: Flow, signer: Pubkey) -> None:
    rental = bring(world, mint=mint)
    world.wait(PROVISION_TIMEOUT + 1)
    expected = closed(world, rental, used=0, reason=CloseReason.PROVISION_TIMEOUT, caller=signer)
    assert (expected.refunded, expected.subsidy_returned) == (expected.deposit, expected.subsidy)
    outcome = world.act(world.cancel_unstarted(rental, caller=signer))
    assert outcome.event(events.RentalClosed) == expected
    assert world.tokens(RENTER, mint) == WALLET_TOKENS
    assert world.listing().failed == 1
    rent = world.cluster.rent(Rental.SIZE)
    assert outcome.lamports_gained(RENTER) == rent + (TIP if signer == RENTER else 0) + (
        expected.refunded if mint == WSOL else 0
    )
    if signer != RENTER:
        assert outcome.lamports_gained(signer) == TIP


def test_cancel_unstarted__last_second_to_provision__is_refused(world: World) -> None:
    rental = opened(world)
    world.wait(PROVISION_TIMEOUT)
    with expect(errors.ProvisioningInTime):
        world.act(world.cancel_unstarted(rental))


def test_cancel_unstarted__timeout_changed_since__is_the_rentals_own(world: World) -> None:
    rental = opened(world)
    world.act(set_parameter(MarketParameter.PROVISION_TIMEOUT, 5))
    world.wait(PROVISION_TIMEOUT)
    with expect(errors.ProvisioningInTime):
        world.act(world.cancel_unstarted(rental))


def test_cancel_unstarted__running__is_refused(world: World) -> None:
    rental = running(world)
    world.wait(PROVISION_TIMEOUT + 1)
    with expect(errors.WrongRentalState):
        world.act(world.cancel_unstarted(rental))
