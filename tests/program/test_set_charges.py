"""set_charges: a host prices traffic and storage for new meters. Invariant CHG-2."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.charges import Charges

from .harness.actors import AUTHORITY, LISTING, RENTER, RIVAL
from .harness.charges import CHARGES, metered, read, set_charges
from .harness.outcome import expect
from .harness.world import World

NONE = Charges(0, 0, 0)
MOST = Charges(2**32 - 1, 2**32 - 1, 2**32 - 1)


@pytest.mark.parametrize("charges", [CHARGES, MOST, NONE])
def test_set_charges__host__tells_old_and_new(world: World, charges: Charges) -> None:
    seq = world.listing().seq
    world.act(set_charges())
    event = world.act(set_charges(charges=charges)).event(events.ChargesSet)
    assert event == events.ChargesSet(listing=LISTING, old=CHARGES, new=charges, at=world.now, seq=seq + 2)
    listing = world.listing()
    assert Charges(listing.bandwidth_usd, listing.bandwidth_free_gb, listing.storage_usd) == charges


@pytest.mark.parametrize("signer", [RIVAL, RENTER, AUTHORITY])
def test_set_charges__not_the_host__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongHost):
        world.act(set_charges(authority=signer))


def test_set_charges__open_meter__keeps_its_rates(world: World) -> None:
    meter = metered(world)
    before = read(world, meter)
    world.act(set_charges(charges=MOST))
    assert read(world, meter) == before
