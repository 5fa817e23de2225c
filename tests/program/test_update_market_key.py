"""update_market_key: the authority replaces the guardian or the treasury."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.types.market_key import MarketKey

from .harness.actors import AUTHORITY, GUARDIAN, HOST, MARKET, STRANGER, TREASURY
from .harness.cluster import START
from .harness.outcome import expect
from .harness.world import World

OLD = {MarketKey.GUARDIAN: GUARDIAN, MarketKey.TREASURY: TREASURY}


@pytest.mark.parametrize("key", MarketKey)
def test_update_market_key__authority__replaces_that_key_only(world: World, key: MarketKey) -> None:
    before = world.market()
    outcome = world.act(instructions.update_market_key(authority=AUTHORITY, key=key, new=STRANGER))
    after = world.market()
    name = key.name.lower()
    for field in ("authority", "guardian", "treasury", "market_mint"):
        assert getattr(after, field) == (STRANGER if field == name else getattr(before, field))
    assert outcome.event(events.MarketKeyUpdated) == events.MarketKeyUpdated(
        market=MARKET, key=key, old=OLD[key], new=STRANGER, at=START, seq=before.seq + 1
    )


@pytest.mark.parametrize("signer", [GUARDIAN, TREASURY, HOST, STRANGER])
def test_update_market_key__not_the_authority__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.Unauthorized):
        world.act(instructions.update_market_key(authority=signer, key=MarketKey.TREASURY, new=signer))
