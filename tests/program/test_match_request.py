"""match_request: anyone puts a request on an idle machine that fits.

Invariants MKT-1, MKT-2, RNT-1, RNT-8, RNT-10, REQ-1 to REQ-3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.accounts.request import Request
from anchor_client.generated.pdas import find_host, find_rental
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.rental_state import RentalState
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import (
    AUTHORITY,
    GPUM,
    HOST,
    KEEPER,
    LISTING,
    LISTINGS,
    MINTS,
    RENTER,
    RIVAL_LISTING,
    STRANGER,
    TENANT,
    USDC,
    WSOL,
)
from .harness.changes import approve_host, post_price, respecify, seeded_rates, set_parameter, set_paused, set_terms
from .harness.cluster import FIRST_NONCE
from .harness.flows import opened, requested
from .harness.governance import put_stake
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY, HOUR, PRICE_MAX_AGE, REQUEST, RESERVED_TERMS, USDC_PRICE, WSOL_PRICE, asking
from .harness.tokens import put_tokens, token_address
from .harness.world import ORDER_HASH, World

TIP = 20_000
DISCOUNTED_USD = ON_DEMAND_USD - ON_DEMAND_USD * 1_000 // 10_000
P = MarketParameter


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("signer", [KEEPER, STRANGER, RENTER, HOST])
def test_match_request__fitting_machine__opens_the_rental_at_its_price(
    world: World, mint: Pubkey, signer: Pubkey
) -> None:
    request = requested(world, mint=mint)
    world.run(HOUR // 2)
    world.act(post_price(WSOL_PRICE))
    vault, listing, host = world.vault(mint), world.listing(), world.host()
    outcome = world.act(world.match_request(request, caller=signer))
    rates = seeded_rates(mint)
    deposit, subsidy = rates.deposit(HOUR), rates.subsidy_of(HOUR)
    rental, bump = find_rental(RENTER, FIRST_NONCE)
    matched, opening = outcome.events
    assert matched == events.RequestMatched(
        request=request,
        rental=rental,
        listing=LISTING,
        held=REQUEST.deposit,
        refunded=REQUEST.deposit - deposit,
        matched_by=signer,
        tip_lamports=TIP,
        at=world.now,
        seq=2,
        vault_seq=vault.seq + 1,
    )
    carried: dict[str, Any] = {
        "renter": RENTER,
        "listing": LISTING,
        "mint": mint,
        "nonce": FIRST_NONCE,
        "kind": RentalKind.ON_DEMAND,
        "shard": 0,
        "duration": HOUR,
        "deposit": deposit,
        "rate": rates.rate,
        "subsidy_rate": rates.subsidy,
        "burn_rate": rates.burn,
        "fee_rate": rates.fee,
        "rate_usd": ON_DEMAND_USD,
        "holdback_bps": 1_000,
        "holdback_window": DAY,
        "may_finish": False,
        "finish_window": DAY,
        "provision_timeout": 900,
        "min_charge": 60,
        "promise": 120,
        "offline_after": 300,
        "tip_lamports": TIP,
        "order_hash": ORDER_HASH,
        "discount_bps": 0,
    }
    assert opening == events.RentalOpened(
        rental=rental,
        host=find_host(HOST)[0],
        subsidy=subsidy,
        at=world.now,
        seq=1,
        listing_seq=listing.seq + 1,
        vault_seq=vault.seq + 2,
        preempt_at=0,
        spec_version=1,
        host_booked=subsidy,
        host_seq=host.seq + 1 if subsidy else 0,
        **carried,
    )
    assert world.rental(rental) == Rental(
        exit_code=0,
        compensated=0,
        has_discount=0,
        has_meter=0,
        subsidy_day=world.now // DAY if subsidy else 0,
        not_as_listed=0,
        took_over=0,
        is_matched=1,
        reserved_end=bytes(2),
        version=1,
        bump=bump,
        state=RentalState.QUEUED,
        rating=0,
        created_at=world.now,
        accepted_after=0,
        started_at=0,
        settled=0,
        seq=1,
        renter_fee_bps=500,
        **carried,
    )
    assert not world.exists(request)
    assert (world.listing().current, world.listing().matcher) == (rental, signer)
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - deposit
    after = world.vault(mint)
    assert (after.liabilities, after.open_rentals) == (deposit + subsidy, 1)
    assert after.total_deposited == vault.total_deposited
    assert after.total_refunded == vault.total_refunded + REQUEST.deposit - deposit
    assert world.profile().active_rentals == 1
    spare = REQUEST.deposit - deposit if mint == WSOL else 0
    for wallet in {signer, RENTER}:
        assert outcome.lamports_gained(wallet) == spare * (wallet == RENTER)
    assert outcome.lamports_gained(rental) == world.cluster.rent(Request.SIZE) + 2 * TIP


def test_match_request__its_rental__lives_like_any_other(world: World) -> None:
    request = requested(world)
    world.act(world.match_request(request))
    rental = find_rental(RENTER, FIRST_NONCE)[0]
    world.act(world.accept_rental(rental))
    world.act(world.start_rental(rental))
    world.run(HOUR)
    outcome = world.act(world.finalize_rental(rental))
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Request.SIZE)
    assert world.vault().liabilities == 0


@pytest.mark.parametrize("term", RESERVED_TERMS)
def test_match_request__reserved__takes_the_discounted_price(world: World, term: int) -> None:
    order = asking(kind=RentalKind.RESERVED, duration=term, max_usd=DISCOUNTED_USD, deposit=10**12)
    request = requested(world, mint=USDC, order=order)
    world.act(world.match_request(request))
    rental = world.rental(find_rental(RENTER, FIRST_NONCE)[0])
    assert (rental.kind, rental.rate_usd) == (RentalKind.RESERVED, DISCOUNTED_USD)
    assert rental.deposit == seeded_rates(USDC, DISCOUNTED_USD).deposit(term)


def test_match_request__highest_price__is_exact(world: World) -> None:
    request = requested(world)
    world.act(respecify(on_demand_usd=REQUEST.max_usd + 1))
    with expect(errors.CostAboveMaximum):
        world.act(world.match_request(request))
    world.act(respecify(on_demand_usd=REQUEST.max_usd))
    world.act(world.match_request(request))


def test_match_request__token_fell_below_the_deposit__is_refused(world: World) -> None:
    cost = seeded_rates(USDC, ON_DEMAND_USD).deposit(HOUR)
    request = requested(world, mint=USDC, order=asking(max_usd=ON_DEMAND_USD, deposit=cost))
    world.act(set_terms(USDC, pinned_price=USDC_PRICE - 1_000_000))
    with expect(errors.CostAboveMaximum):
        world.act(world.match_request(request))
    world.act(set_terms(USDC))
    outcome = world.act(world.match_request(request))
    matched = outcome.events[0]
    assert isinstance(matched, events.RequestMatched) and matched.refunded == 0


@pytest.mark.parametrize("bump", [0, 254, 255])
def test_match_request__any_guess_of_the_refunds_bump__refunds_to_the_associated_account_alone(
    world: World, bump: int
) -> None:
    request = requested(world)
    other = put_tokens(world.cluster, GPUM, RENTER, 0, at=address("another account of the renter"))
    with expect(errors.NotAssociated):
        world.act(world.match_request(request, bump=bump, renter_payout=other))
    matched = world.act(world.match_request(request, bump=bump)).events[0]
    assert isinstance(matched, events.RequestMatched) and matched.refunded > 0
    assert world.tokens(RENTER) == WALLET_TOKENS - REQUEST.deposit + matched.refunded


@pytest.mark.parametrize(
    ("asked", "offered", "fits"),
    [
        ({"gpu_model": 2}, {}, False),
        ({"gpu_count": 1}, {}, False),
        ({"gpu_count": 3}, {}, False),
        ({"regions": 1 << 3}, {}, True),
        ({"regions": 1 << 2 | 1 << 4}, {}, False),
        ({"regions": ~(1 << 3) % 2**64}, {}, False),
        ({"regions": 1 << 63}, {"region": 63}, True),
        ({"regions": 1}, {"region": 0}, True),
        ({"regions": 1}, {"region": 32}, False),
        ({"min_score_bps": 1}, {}, False),
    ],
)
def test_match_request__machine__must_be_what_was_asked_for(
    world: World, asked: dict[str, Any], offered: dict[str, Any], fits: bool
) -> None:
    request = requested(world, order=asking(**asked))
    if offered:
        world.act(respecify(**offered))
    if fits:
        world.act(world.match_request(request))
        return
    with expect(errors.ListingUnfit):
        world.act(world.match_request(request))


@pytest.mark.parametrize(("score", "fits"), [(6_999, False), (7_000, True), (7_001, True)])
def test_match_request__score_of_the_host__is_at_least_what_was_asked(world: World, score: int, fits: bool) -> None:
    request = requested(world, order=asking(min_score_bps=7_000))
    world.rewrite(find_host(HOST)[0], replace(world.host(), score=score))
    if fits:
        world.act(world.match_request(request))
        return
    with expect(errors.ListingUnfit):
        world.act(world.match_request(request))


def test_match_request__around_its_end__until_the_second_before(world: World) -> None:
    first, second = requested(world), requested(world)
    world.run(DAY - 1)
    world.act(world.match_request(first))
    world.wait(1)
    with expect(errors.RequestOver):
        world.act(world.match_request(second, LISTINGS[1]))


def test_match_request__taken_machine__is_refused(world: World) -> None:
    request = requested(world)
    opened(world, TENANT)
    with expect(errors.ListingOccupied):
        world.act(world.match_request(request))
    world.act(world.match_request(request, LISTINGS[1]))


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (respecify(visible=False), errors.ListingHidden),
        (respecify(mrl_seconds=HOUR - 1), errors.DurationTooLong),
        (
            approve_host(approved=False),
            errors.HostNotApproved,
        ),
        (set_paused(PauseArea.ORDERS), errors.Paused),
        (set_terms(GPUM, enabled=False), errors.MintDisabled),
        (set_parameter(P.MIN_DURATION, HOUR + 1), errors.DurationTooShort),
        (set_parameter(P.ORDER_MIN_USD, ON_DEMAND_USD + 1), errors.OrderBelowMinimum),
    ],
)
def test_match_request__order_that_would_be_refused__is_refused(
    world: World, act: Instruction, error: type[errors.ProgramError]
) -> None:
    request = requested(world)
    world.act(act)
    with expect(error):
        world.act(world.match_request(request))


def test_match_request__silent_machine__is_refused(world: World) -> None:
    request = requested(world)
    world.wait(300)
    world.act(world.match_request(request, LISTINGS[1]))
    other = requested(world)
    world.wait(1)
    with expect(errors.ListingOffline):
        world.act(world.match_request(other))


def test_match_request__price_too_old__is_refused(world: World) -> None:
    request = requested(world, mint=WSOL)
    world.run(PRICE_MAX_AGE + 1)
    with expect(errors.PriceStale):
        world.act(world.match_request(request))


def test_match_request__host_who_requests__never_gets_his_own_machine(world: World) -> None:
    world.act(world.register_renter(HOST, AUTHORITY))
    request = requested(world, HOST)
    with expect(errors.SelfRental):
        world.act(world.match_request(request))
    world.act(world.match_request(request, RIVAL_LISTING))


def test_match_request__refund_to_another_wallet__is_refused(world: World) -> None:
    request = requested(world)
    with expect(errors.WrongTokenOwner):
        world.act(world.match_request(request, renter_payout=token_address(KEEPER, GPUM)))
    with expect(errors.WrongRenter):
        world.act(world.match_request(request, renter=STRANGER))


def test_match_request__frozen_refund_account__leaves_the_request_waiting(world: World) -> None:
    request = requested(world)
    put_tokens(world.cluster, GPUM, RENTER, 0, frozen=True)
    with expect(errors.PayeeNotPayable):
        world.act(world.match_request(request))


def test_match_request__twice__is_refused(world: World) -> None:
    request = requested(world)
    act = world.match_request(request)
    world.act(act)
    with expect_refusal():
        world.act(act)


def test_match_request__cancelled__is_refused(world: World) -> None:
    request = requested(world)
    act = world.match_request(request)
    world.act(world.cancel_request(request))
    with expect_refusal():
        world.act(act)


def test_match_request__tip_changed_since__is_the_requests_own(world: World) -> None:
    request = requested(world)
    world.act(set_parameter(P.TIP_LAMPORTS, 1_000_000))
    outcome = world.act(world.match_request(request))
    assert outcome.lamports_gained(KEEPER) == 0
    assert world.rental(find_rental(RENTER, FIRST_NONCE)[0]).tip_lamports == TIP


@pytest.mark.parametrize("prefunded", [1_000_000, 10**9])
def test_match_request__prefunded_rental__is_the_renters(world: World, prefunded: int) -> None:
    request = requested(world)
    rental = find_rental(RENTER, FIRST_NONCE)[0]
    world.cluster.set_account(rental, Account(prefunded, b"", Pubkey.default()))
    outcome = world.act(world.match_request(request))
    assert outcome.lamports_gained(KEEPER) == 0
    assert outcome.lamports_gained(RENTER) == 0
    back = world.act(world.stop_rental(rental))
    assert back.lamports_gained(RENTER) == prefunded + world.cluster.rent(Request.SIZE) + 2 * TIP


@pytest.mark.parametrize("sent", [0, 1, 10**9])
def test_attack__lamports_sent_to_the_request_of_an_empty_wallet__do_not_stop_the_match(
    world: World, sent: int
) -> None:
    """An amount below the rent of a wallet cannot be paid to one that has nothing: the rental carries it."""
    request = requested(world)
    account = world.cluster.account(request)
    assert account is not None
    world.cluster.set_account(request, Account(account.lamports + sent, account.data, account.owner))
    world.cluster.set_account(RENTER, Account(0, b"", Pubkey.default()))
    world.cluster.observers.clear()
    world.act(world.match_request(request))
    rental = find_rental(RENTER, FIRST_NONCE)[0]
    ended = world.act(world.stop_rental(rental))
    assert ended.lamports_gained(RENTER) == world.cluster.rent(Request.SIZE) + sent + 2 * TIP


def test_match_request__renters_stake__lowers_his_fee(world: World) -> None:
    request = requested(world, mint=USDC)
    full = world.act(world.match_request(requested(world, mint=USDC), LISTINGS[1])).events[0]
    put_stake(world, RENTER, 2_000_000 * 10**6)
    staked = world.act(world.match_request(request)).events[0]
    assert isinstance(full, events.RequestMatched) and isinstance(staked, events.RequestMatched)
    assert staked.refunded > full.refunded


def test_match_request__anothers_stake__is_refused(world: World) -> None:
    request = requested(world)
    stake = put_stake(world, TENANT, 10**12)
    for name in ("renter_stake", "host_stake"):
        with expect(errors.WrongStakeOwner):
            world.act(world.match_request(request, **{name: stake}))


def test_attack__match_to_an_account_that_signs_for_itself__is_refused(world: World) -> None:
    """The system program makes an account for whoever signs: the rental would live where its renter does not look."""
    request = requested(world)
    instruction = world.match_request(request)
    rental, stand_in = find_rental(RENTER, FIRST_NONCE)[0], address("stand-in")
    metas = [AccountMeta(stand_in, True, True) if it.pubkey == rental else it for it in instruction.accounts]
    with expect_refusal():
        world.act(Instruction(instruction.program_id, bytes(instruction.data), metas))
