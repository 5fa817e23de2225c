"""expire_request: anyone ends a request that found no machine; the deposit goes back. Invariants REQ-1, KPR-1."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.request import Request
from anchor_client.generated.types.pause_area import PauseArea

from .harness.actors import GPUM, HOST, KEEPER, MINTS, RENTER, STRANGER, WSOL
from .harness.changes import set_paused
from .harness.flows import requested
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY, REQUEST
from .harness.tokens import token_address
from .harness.world import World

TIP = 20_000


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("signer", [KEEPER, STRANGER, RENTER, HOST])
def test_expire_request__anyone__refunds_the_renter(world: World, mint: Pubkey, signer: Pubkey) -> None:
    request = requested(world, mint=mint)
    world.wait(DAY)
    vault = world.vault(mint)
    outcome = world.act(world.expire_request(request, caller=signer))
    assert outcome.event(events.RequestExpired) == events.RequestExpired(
        request=request,
        renter=RENTER,
        mint=mint,
        refunded=REQUEST.deposit,
        expired_by=signer,
        tip_lamports=TIP,
        at=world.now,
        seq=2,
        vault_seq=vault.seq + 1,
    )
    assert not world.exists(request)
    assert world.tokens(RENTER, mint) == WALLET_TOKENS
    rent = world.cluster.rent(Request.SIZE) + (REQUEST.deposit if mint == WSOL else 0)
    assert outcome.lamports_gained(RENTER) == rent + TIP + (TIP if signer == RENTER else 0)
    if signer != RENTER:
        assert outcome.lamports_gained(signer) == TIP


def test_expire_request__around_its_end__from_that_second_on(world: World) -> None:
    request = requested(world)
    world.wait(DAY - 1)
    with expect(errors.RequestNotExpired):
        world.act(world.expire_request(request))
    world.wait(1)
    world.act(world.expire_request(request))


def test_expire_request__to_the_caller__is_refused(world: World) -> None:
    request = requested(world)
    world.wait(DAY)
    with expect(errors.WrongTokenOwner):
        world.act(world.expire_request(request, renter_payout=token_address(KEEPER, GPUM)))
    with expect(errors.WrongRenter):
        world.act(world.expire_request(request, renter=STRANGER))


def test_expire_request__twice__is_refused(world: World) -> None:
    request = requested(world)
    world.wait(DAY)
    act = world.expire_request(request)
    world.act(act)
    with expect_refusal():
        world.act(act)


def test_expire_request__market_paused__still_refunds(world: World) -> None:
    request = requested(world)
    world.wait(DAY)
    world.act(set_paused(PauseArea.ORDERS))
    world.act(world.expire_request(request))
    assert world.tokens(RENTER) == WALLET_TOKENS
