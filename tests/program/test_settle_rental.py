"""settle_rental: anyone pays the host what it has shown to have earned.

Invariants SYS-3, MKT-1, RNT-2 to RNT-4, RNT-7, KPR-1.
"""

from __future__ import annotations

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.silence import Silence
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, HOST, KEEPER, LISTING, LISTINGS, MINTS, RENTER, RIVAL, RIVAL_LISTING, USDC
from .harness.changes import seeded_rates
from .harness.flows import Flow, accepted, opened, running
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.reference import paid_usd, payable
from .harness.terms import HOUR
from .harness.tokens import TOKEN_2022, put_tokens, token_address
from .harness.world import World

HOLDBACK = 1_000
OFFLINE_AFTER = 300
ANSWER_WINDOW = 60


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("seconds", [1, 299, 1_801, HOUR])
def test_settle_rental__anyone__pays_the_host_less_the_holdback(world: World, mint: Pubkey, seconds: int) -> None:
    rental = running(world, mint=mint)
    vault = world.vault(mint)
    world.run(seconds)
    outcome = world.act(world.settle_rental(rental))
    due = payable(seeded_rates(mint), seconds, HOLDBACK)
    assert outcome.event(events.RentalSettled) == events.RentalSettled(
        rental=rental,
        listing=LISTING,
        paid=due,
        paid_total=due,
        settled=seconds,
        at=world.now,
        seq=4,
        vault_seq=vault.seq + 1,
        listing_seq=world.listing().seq,
        heard=False,
        paid_usd=paid_usd(seeded_rates(mint), ON_DEMAND_USD, seconds),
    )
    assert world.listing().paid_usd == outcome.event(events.RentalSettled).paid_usd
    assert world.tokens(HOST, mint) == WALLET_TOKENS + due
    assert world.vault(mint).liabilities == vault.liabilities - due
    assert world.rental(rental).settled == seconds


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("steps", [(1, 1, 1), (1, 2, 3, 5, 8, 13, 21), (700, 1, 1_299), (299,) * 12])
def test_settle_rental__in_steps__pays_what_one_step_pays(world: World, mint: Pubkey, steps: tuple[int, ...]) -> None:
    rental = running(world, mint=mint)
    for seconds in steps:
        world.run(seconds)
        world.act(world.settle_rental(rental))
    assert world.tokens(HOST, mint) - WALLET_TOKENS == payable(seeded_rates(mint), sum(steps), HOLDBACK)


def test_settle_rental__again__changes_nothing(world: World) -> None:
    rental = running(world)
    world.run(500)
    world.act(world.settle_rental(rental))
    before = world.cluster.accounts()
    outcome = world.act(world.settle_rental(rental))
    assert outcome.events == ()
    assert {**world.cluster.accounts(), world.cluster.fee_payer: None} == {**before, world.cluster.fee_payer: None}


def test_settle_rental__just_started__changes_nothing(world: World) -> None:
    rental = running(world)
    before = world.rental(rental)
    assert world.act(world.settle_rental(rental)).events == ()
    assert world.rental(rental) == before


def test_settle_rental__silence__is_not_paid(world: World) -> None:
    rental = running(world)
    world.run(400)
    world.wait(2_000)
    assert world.act(world.settle_rental(rental)).event(events.RentalSettled).settled == 400


def test_settle_rental__by_its_host__counts_as_a_heartbeat(world: World) -> None:
    """Its time up is counted by the next heartbeat."""
    rental = running(world)
    world.run(400)
    world.wait(OFFLINE_AFTER + 1)
    world.act(world.mark_silent())
    world.wait(ANSWER_WINDOW - 1)
    used = 400 + OFFLINE_AFTER + ANSWER_WINDOW
    event = world.act(world.settle_rental(rental, caller=HOST)).event(events.RentalSettled)
    assert (event.heard, event.settled, event.listing_seq) == (True, used, world.listing().seq)
    listing = world.listing()
    assert (listing.last_heartbeat_at, listing.silence, listing.up_seconds) == (world.now, Silence.HEARD, 400)
    world.run(100)
    assert (world.listing().up_seconds, world.host().up_seconds) == (used + 100, used + 100)


def test_settle_rental__by_a_host_that_is_silent__revives_nothing(world: World) -> None:
    rental = running(world)
    world.run(400)
    world.fall_silent()
    event = world.act(world.settle_rental(rental, caller=HOST)).event(events.RentalSettled)
    assert (event.heard, event.settled) == (False, 400)
    assert world.act(world.report_offline(rental)).event(events.RentalClosed).reason is CloseReason.HOST_OFFLINE


@pytest.mark.parametrize("caller", [RENTER, KEEPER, RIVAL])
def test_settle_rental__by_another__is_no_heartbeat(world: World, caller: Pubkey) -> None:
    rental = running(world)
    world.run(400)
    heard = world.now
    world.wait(200)
    event = world.act(world.settle_rental(rental, caller=caller)).event(events.RentalSettled)
    assert (event.heard, event.settled, world.listing().last_heartbeat_at) == (False, 400, heard)


def test_settle_rental__slots_without_seconds__pay_nothing(world: World) -> None:
    rental = running(world)
    world.cluster.skip_slots(1_000_000)
    assert world.act(world.heartbeat(), world.settle_rental(rental)).events == ()


def test_settle_rental__past_the_paid_time__pays_no_more_than_it(world: World) -> None:
    rental = running(world)
    world.run(HOUR + 1_000)
    event = world.act(world.settle_rental(rental)).event(events.RentalSettled)
    assert (event.settled, event.paid) == (HOUR, payable(seeded_rates(GPUM), HOUR, HOLDBACK))
    world.run(10)
    assert world.act(world.settle_rental(rental)).events == ()


@pytest.mark.parametrize("bring", [opened, accepted])
def test_settle_rental__not_running__is_refused(world: World, bring: Flow) -> None:
    with expect(errors.WrongRentalState):
        world.act(world.settle_rental(bring(world)))


def test_settle_rental__ended__is_refused(world: World) -> None:
    rental = running(world)
    act = world.settle_rental(rental)
    world.act(world.stop_rental(rental))
    with expect_refusal():
        world.act(act)


@pytest.mark.parametrize("bump", [0, 128, 255])
def test_settle_rental__wrong_bump__pays_all_the_same(world: World, bump: int) -> None:
    rental = running(world)
    world.run(100)
    assert world.act(world.settle_rental(rental, bump=bump)).event(events.RentalSettled).paid > 0


def test_settle_rental__host_that_cannot_be_paid__is_refused_and_goes_on(world: World) -> None:
    rental = running(world)
    world.run(100)
    held = world.tokens(HOST)
    put_tokens(world.cluster, GPUM, HOST, held, frozen=True)
    with expect(errors.PayeeNotPayable):
        world.act(world.settle_rental(rental))
    put_tokens(world.cluster, GPUM, HOST, held)
    assert world.act(world.settle_rental(rental)).event(events.RentalSettled).paid > 0


def test_settle_rental__account_of_another__is_refused(world: World) -> None:
    rental = running(world)
    world.run(100)
    frozen = put_tokens(world.cluster, GPUM, HOST, 0, at=address("frozen"), frozen=True)
    newer = put_tokens(world.cluster, GPUM, HOST, 0, at=address("newer"), program=TOKEN_2022)
    world.cluster.set_account(address("closed"), Account(1, b"", Pubkey.default()))
    other_vault, usdc_vault = find_vault(GPUM, 1)[0], find_vault(USDC, 0)[0]
    for error, accounts in (
        (errors.WrongTokenOwner, {"host_payout": token_address(RIVAL, GPUM)}),
        (errors.WrongMint, {"host_payout": token_address(HOST, USDC)}),
        (errors.TokenAccountFrozen, {"host_payout": frozen}),
        (errors.InvalidTokenAccount, {"host_payout": newer}),
        (errors.InvalidTokenAccount, {"host_payout": address("closed")}),
        (errors.WrongListing, {"listing": LISTINGS[1]}),
        (errors.WrongListing, {"listing": RIVAL_LISTING}),
        (errors.WrongVault, {"vault": other_vault, "vault_token": token_address(other_vault, GPUM)}),
        (errors.WrongVault, {"vault": usdc_vault, "vault_token": token_address(usdc_vault, USDC)}),
        (errors.WrongVault, {"vault_token": token_address(other_vault, GPUM)}),
    ):
        with expect(error):
            world.act(world.settle_rental(rental, **accounts))
