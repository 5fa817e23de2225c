"""cancel_request: the renter withdraws a request at any time and has everything back. Invariants MKT-6, REQ-1."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.request import Request
from anchor_client.generated.types.pause_area import PauseArea

from .harness.actors import GPUM, HOST, KEEPER, MINTS, RENTER, STRANGER, TENANT, WSOL
from .harness.changes import set_paused, set_terms
from .harness.flows import requested
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY, REQUEST
from .harness.tokens import balance_of, put_tokens
from .harness.world import World

TIP = 20_000


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("waited", [0, DAY - 1, DAY, 60 * DAY])
def test_cancel_request__renter_at_any_time__has_everything_back(world: World, mint: Pubkey, waited: int) -> None:
    request = requested(world, mint=mint)
    world.wait(waited)
    vault = world.vault(mint)
    outcome = world.act(world.cancel_request(request))
    assert outcome.event(events.RequestCancelled) == events.RequestCancelled(
        request=request,
        renter=RENTER,
        mint=mint,
        refunded=REQUEST.deposit,
        at=world.now,
        seq=2,
        vault_seq=vault.seq + 1,
    )
    assert not world.exists(request)
    assert world.tokens(RENTER, mint) == WALLET_TOKENS
    refund = REQUEST.deposit if mint == WSOL else 0
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Request.SIZE) + 2 * TIP + refund
    assert world.vault(mint).liabilities == 0


@pytest.mark.parametrize("signer", [KEEPER, STRANGER, HOST, TENANT])
def test_cancel_request__anyone_else__is_refused(world: World, signer: Pubkey) -> None:
    request = requested(world)
    with expect(errors.WrongRenter):
        world.act(world.cancel_request(request, caller=signer))


def test_cancel_request__twice__is_refused(world: World) -> None:
    request = requested(world)
    act = world.cancel_request(request)
    world.act(act)
    with expect_refusal():
        world.act(act)


def test_cancel_request__market_paused_and_mint_closed__still_refunds(world: World) -> None:
    request = requested(world)
    world.act(set_terms(GPUM, enabled=False))
    world.act(*(set_paused(area) for area in (PauseArea.ORDERS, PauseArea.HOSTS, PauseArea.PRICES)))
    world.act(world.cancel_request(request))
    assert world.tokens(RENTER) == WALLET_TOKENS


def test_cancel_request__any_account_of_the_renter__is_refunded(world: World) -> None:
    request = requested(world)
    other = put_tokens(world.cluster, GPUM, RENTER, 0, at=address("renter's second account"))
    world.act(world.cancel_request(request, renter_payout=other))
    assert balance_of(world.cluster, other) == REQUEST.deposit
