"""outbid: a better order takes the place of the one that waits, which is refunded in full.

Invariants RNT-1, RNT-2, RNT-8, SPT-2 to SPT-4.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_rental
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import AUTHORITY, GPUM, LISTINGS, MINTS, RENTER, STRANGER, TENANT, USDC, WSOL
from .harness.changes import respecify
from .harness.cluster import FIRST_NONCE
from .harness.endings import closed
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.spot import BEST, GRACE, challenged, held, outbid, register_stranger
from .harness.terms import SUBSIDY_FUNDED
from .harness.tokens import balance_of, put_tokens, token_address
from .harness.world import World

TIP = 20_000


@pytest.fixture
def slot(world: World) -> World:
    """A market with three renters where the renter holds the listing on spot."""
    register_stranger(world)
    held(world)
    return world


@pytest.mark.parametrize("beaten_mint", MINTS)
@pytest.mark.parametrize("mint", MINTS)
def test_outbid__better_bid__refunds_the_beaten_and_keeps_the_holders_grace(
    slot: World, mint: Pubkey, beaten_mint: Pubkey
) -> None:
    beaten = challenged(slot, TENANT, mint=beaten_mint)
    pool = slot.vault(GPUM).subsidy_pool
    preempt_at = slot.listing().preempt_at
    slot.wait(GRACE - 1)
    holder = slot.listing().current
    expected = closed(slot, beaten, used=0, reason=CloseReason.OUTBID, caller=STRANGER)
    assert (expected.refunded, expected.tip_lamports) == (expected.deposit, 0)
    outcome = slot.act(outbid(slot, mint=mint))
    closing, opened = outcome.events
    assert closing == expected
    better = find_rental(STRANGER, FIRST_NONCE)[0]
    assert isinstance(opened, events.RentalOpened) and (opened.rental, opened.preempt_at) == (better, preempt_at)
    listing = slot.listing()
    assert (listing.current, listing.challenger, listing.preempt_at) == (holder, better, preempt_at)
    assert slot.tokens(TENANT, beaten_mint) == WALLET_TOKENS
    refund = expected.refunded if beaten_mint == WSOL else 0
    assert outcome.lamports_gained(TENANT) == slot.cluster.rent(Rental.SIZE) + TIP + refund
    assert not slot.exists(beaten)
    subsidy = opened.subsidy if mint == GPUM else 0
    assert slot.vault(GPUM).subsidy_pool == pool + expected.subsidy_returned * (beaten_mint == GPUM) - subsidy
    assert slot.profile(TENANT).active_rentals == 0
    assert (listing.completed, listing.failed) == (0, 0)


def test_outbid__other_shard_of_the_same_mint__refunds_from_the_beaten_ones(slot: World) -> None:
    slot.act(slot.fund_subsidy(AUTHORITY, SUBSIDY_FUNDED, shard=1))
    challenged(slot, TENANT, shard=1)
    slot.act(outbid(slot, shard=0))
    assert slot.tokens(TENANT) == WALLET_TOKENS
    assert (slot.vault(GPUM, 1).liabilities, slot.vault(GPUM, 1).open_rentals) == (0, 0)


@pytest.mark.parametrize("bump", [0, 254, 255])
def test_outbid__any_guess_of_the_refunds_bump__refunds_to_the_associated_account_alone(slot: World, bump: int) -> None:
    challenged(slot, TENANT)
    other = put_tokens(slot.cluster, GPUM, TENANT, 0, at=address("another account of the tenant"))
    with expect(errors.NotAssociated):
        slot.act(outbid(slot, bump=bump, beaten_payout=other))
    slot.act(outbid(slot, bump=bump))
    assert slot.tokens(TENANT) == WALLET_TOKENS


@pytest.mark.parametrize("mint", [GPUM, USDC])
def test_outbid__ones_own_bid__is_raised(slot: World, mint: Pubkey) -> None:
    challenged(slot, TENANT)
    outcome = slot.act(outbid(slot, TENANT, mint=mint))
    better = slot.rental(slot.listing().challenger)
    assert (better.renter, better.rate_usd) == (TENANT, BEST)
    assert slot.tokens(TENANT, mint) == WALLET_TOKENS - better.deposit
    assert outcome.lamports_gained(TENANT) == 0
    assert slot.profile(TENANT).active_rentals == 1


def test_outbid__refund_to_another_account__only_if_it_is_ones_own_bid(slot: World) -> None:
    challenged(slot, TENANT)
    other = put_tokens(slot.cluster, GPUM, TENANT, 0, at=address("another account of the tenant"))
    deposit = slot.rental(slot.listing().challenger).deposit
    with expect(errors.NotAssociated):
        slot.act(outbid(slot, beaten_payout=other))
    slot.act(outbid(slot, TENANT, beaten_payout=other))
    assert balance_of(slot.cluster, other) == deposit


def test_outbid__the_least_that_beats_the_challenger__is_taken(slot: World) -> None:
    challenged(slot, TENANT)
    with expect(errors.BidTooLow):
        slot.act(outbid(slot, bid=BEST - 1))
    slot.act(outbid(slot, bid=BEST))


@pytest.mark.parametrize(
    ("kind", "price"),
    [(RentalKind.ON_DEMAND, ON_DEMAND_USD), (RentalKind.RESERVED, ON_DEMAND_USD - ON_DEMAND_USD // 10)],
)
def test_outbid__order_of_another_kind__beats_a_bid_of_no_more(slot: World, kind: RentalKind, price: int) -> None:
    slot.act(respecify(on_demand_usd=price + 1))
    challenged(slot, TENANT, bid=price)
    slot.act(respecify())
    slot.act(outbid(slot, kind=kind, duration=604_800))
    assert slot.rental(slot.listing().challenger).kind == kind


@pytest.mark.parametrize(
    ("kind", "price"),
    [(RentalKind.ON_DEMAND, ON_DEMAND_USD), (RentalKind.RESERVED, ON_DEMAND_USD - ON_DEMAND_USD // 10)],
)
def test_outbid__order_of_another_kind__evicts_no_higher_bid(slot: World, kind: RentalKind, price: int) -> None:
    slot.act(respecify(on_demand_usd=price + 1))
    challenged(slot, TENANT, bid=price + 1)
    slot.act(respecify())
    with expect(errors.PriceBelowHolder):
        slot.act(outbid(slot, kind=kind, duration=604_800))


@pytest.mark.parametrize("by", list(RentalKind))
@pytest.mark.parametrize("kind", [RentalKind.ON_DEMAND, RentalKind.RESERVED])
def test_outbid__order_at_full_price__is_never_beaten(slot: World, kind: RentalKind, by: RentalKind) -> None:
    challenged(slot, TENANT, kind=kind, duration=604_800)
    with expect(errors.ListingOccupied):
        slot.act(outbid(slot, kind=by, bid=ON_DEMAND_USD, duration=604_800))


def test_outbid__grace_over__the_challenger_has_won(slot: World) -> None:
    challenged(slot, TENANT)
    slot.run(GRACE)
    with expect(errors.TakeOverDue):
        slot.act(outbid(slot))


def test_outbid__the_holders_own_wallet__is_refused(slot: World) -> None:
    challenged(slot, TENANT)
    with expect(errors.SelfChallenge):
        slot.act(outbid(slot, RENTER))


def test_outbid__another_challenger_than_the_waiting_one__is_refused(slot: World) -> None:
    challenged(slot, TENANT)
    elsewhere = held(slot, TENANT, listing=LISTINGS[1])
    with expect(errors.WrongChallenger):
        slot.act(outbid(slot, beaten=elsewhere))


@pytest.mark.parametrize(
    ("error", "account"),
    [
        (errors.WrongRenter, "beaten_profile"),
        (errors.WrongVault, "beaten_vault"),
        (errors.WrongVault, "beaten_vault_token"),
    ],
)
def test_outbid__left_out_though_it_differs__is_refused(slot: World, error: type, account: str) -> None:
    challenged(slot, TENANT, mint=USDC)
    with expect(error):
        slot.act(outbid(slot, **{account: None}))


def test_outbid__tokens_of_another_wallet__are_refused(slot: World) -> None:
    challenged(slot, TENANT)
    with expect(errors.WrongTokenOwner):
        slot.act(outbid(slot, beaten_payout=token_address(STRANGER, GPUM)))
