"""open_request: a renter escrows an order for whichever machine fits it. Invariants SYS-4, SYS-5, MKT-1, MKT-2."""

from __future__ import annotations

from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.request import Request
from anchor_client.generated.pdas import find_rental, find_request
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.generated.types.rental_kind import RentalKind

from .harness.actors import GPUM, LISTINGS, MINTS, RENTER, USDC, WSOL
from .harness.changes import seeded_rates, set_parameter, set_paused, set_terms
from .harness.cluster import FIRST_NONCE, START
from .harness.flows import opened, requested
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY, HOUR, PRICE_MAX_AGE, REQUEST, RESERVED_TERMS, asking
from .harness.tokens import put_tokens
from .harness.world import World

TIP = 20_000
MONTH = 30 * DAY
P = MarketParameter


@pytest.mark.parametrize("mint", MINTS)
def test_open_request__renter__escrows_the_deposit(world: World, mint: Pubkey) -> None:
    vault = world.vault(mint)
    order = asking(regions=1 << 3 | 1 << 63, min_score_bps=10_000, expires_at=START + MONTH)
    outcome = world.act(world.open_request(mint=mint, order=order))
    address, bump = find_request(RENTER, FIRST_NONCE)
    assert outcome.event(events.RequestOpened) == events.RequestOpened(
        request=address,
        renter=RENTER,
        mint=mint,
        nonce=FIRST_NONCE,
        shard=0,
        order=order,
        tip_lamports=TIP,
        at=START,
        seq=1,
        vault_seq=vault.seq + 1,
    )
    assert world.request(address) == Request(
        version=1,
        bump=bump,
        kind=RentalKind.ON_DEMAND,
        shard=0,
        gpu_count=order.gpu_count,
        near_region=order.near_region,
        gpu_model=order.gpu_model,
        renter=RENTER,
        mint=mint,
        order_hash=order.order_hash,
        nonce=FIRST_NONCE,
        deposit=order.deposit,
        max_usd=order.max_usd,
        regions=order.regions,
        created_at=START,
        expires_at=order.expires_at,
        duration=HOUR,
        tip_lamports=TIP,
        seq=1,
        min_score_bps=order.min_score_bps,
        rental_bump=find_rental(RENTER, FIRST_NONCE)[1],
        reserved_tail=bytes(9),
        reserved=bytes(32),
        min_vram_gb=0,
        min_cuda=0,
        min_ram_gb=0,
        min_disk_gb=0,
        min_net_up_mbps=0,
        min_net_down_mbps=0,
        reserved_end=bytes(28),
    )
    after = world.vault(mint)
    assert (after.liabilities, after.open_rentals) == (vault.liabilities + order.deposit, 0)
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - order.deposit
    assert (world.profile().next_nonce, world.profile().active_rentals) == (FIRST_NONCE + 1, 0)
    assert outcome.lamports_gained(RENTER) == -world.cluster.rent(Request.SIZE) - 2 * TIP


@pytest.mark.parametrize("tip", [0, 1, 100_000_000])
def test_open_request__tip__rides_twice(world: World, tip: int) -> None:
    world.act(set_parameter(P.TIP_LAMPORTS, tip))
    outcome = world.act(world.open_request())
    assert outcome.lamports_gained(RENTER) == -world.cluster.rent(Request.SIZE) - 2 * tip


def test_open_request__nonce__is_shared_with_rentals_and_used_once(world: World) -> None:
    request = requested(world)
    with expect(errors.NonceMismatch):
        world.act(world.open_rental(nonce=FIRST_NONCE))
    opened(world, listing=LISTINGS[1])
    with expect(errors.NonceMismatch):
        world.act(world.open_request(nonce=FIRST_NONCE + 1))
    world.act(world.cancel_request(request))
    with expect(errors.NonceMismatch):
        world.act(world.open_request(nonce=FIRST_NONCE))
    assert requested(world) == find_request(RENTER, FIRST_NONCE + 2)[0]


def test_open_request__nonce_in_use__is_refused(world: World) -> None:
    requested(world)
    with expect_refusal():
        world.act(world.open_request(nonce=FIRST_NONCE))


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("kind", [RentalKind.ON_DEMAND, RentalKind.RESERVED])
def test_open_request__deposit__covers_the_highest_price(world: World, mint: Pubkey, kind: RentalKind) -> None:
    duration = HOUR if kind is RentalKind.ON_DEMAND else RESERVED_TERMS[0]
    cost = seeded_rates(mint, REQUEST.max_usd).deposit(duration)
    terms = {"kind": kind, "duration": duration}
    with expect(errors.DepositTooSmall):
        world.act(world.open_request(mint=mint, order=asking(**terms, deposit=cost - 1)))
    world.act(world.open_request(mint=mint, order=asking(**terms, deposit=cost)))


@pytest.mark.parametrize("mint", MINTS)
def test_open_request__balance__must_cover_the_deposit_exactly(world: World, mint: Pubkey) -> None:
    put_tokens(world.cluster, mint, RENTER, REQUEST.deposit - 1)
    with expect(errors.InsufficientFunds):
        world.act(world.open_request(mint=mint))
    put_tokens(world.cluster, mint, RENTER, REQUEST.deposit)
    world.act(world.open_request(mint=mint))
    assert world.tokens(RENTER, mint) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"gpu_model": 0},
        {"gpu_count": 0},
        {"min_score_bps": 10_001},
        {"near_region": 64},
        {"near_region": 254},
        {"max_usd": 2**32, "deposit": 10**13},
        {"expires_at": START},
        {"expires_at": START - 1},
        {"expires_at": START + MONTH + 1},
        {"expires_at": 2**63 - 1},
        {"expires_at": -(2**63)},
    ],
)
def test_open_request__past_a_bound__is_refused(world: World, changes: dict[str, Any]) -> None:
    with expect(errors.InvalidRequest):
        world.act(world.open_request(order=asking(**changes)))


@pytest.mark.parametrize(
    "changes",
    [
        {"min_score_bps": 10_000},
        {"near_region": 0},
        {"near_region": 63},
        {"max_usd": 2**32 - 1, "deposit": 10**13},
        {"expires_at": START + 1},
        {"expires_at": START + MONTH},
        {"regions": 2**64 - 1},
        {"gpu_model": 2**16 - 1},
        {"gpu_count": 255},
    ],
)
def test_open_request__at_a_bound__is_taken(world: World, changes: dict[str, Any]) -> None:
    world.act(world.open_request(order=asking(**changes)))


def test_open_request__spot__is_refused_by_name(world: World) -> None:
    with expect(errors.SpotRequest):
        world.act(world.open_request(order=asking(kind=RentalKind.SPOT)))


@pytest.mark.parametrize("term", [*(t + d for t in RESERVED_TERMS for d in (-1, 1)), HOUR])
def test_open_request__reserved_for_another_term__is_refused(world: World, term: int) -> None:
    with expect(errors.InvalidReservedTerm):
        world.act(world.open_request(order=asking(kind=RentalKind.RESERVED, duration=term, deposit=10**12)))


def test_open_request__duration__is_within_the_markets_bounds(world: World) -> None:
    world.act(set_parameter(P.MIN_DURATION, HOUR), set_parameter(P.MAX_DURATION, 2 * HOUR))
    with expect(errors.DurationTooShort):
        world.act(world.open_request(order=asking(duration=HOUR - 1)))
    with expect(errors.DurationTooLong):
        world.act(world.open_request(order=asking(duration=2 * HOUR + 1)))
    for duration in (HOUR, 2 * HOUR):
        world.act(world.open_request(order=asking(duration=duration)))


def test_open_request__order_minimum__is_measured_at_the_highest_price(world: World) -> None:
    least = -(-5_000_000 * HOUR // REQUEST.max_usd)
    with expect(errors.OrderBelowMinimum):
        world.act(world.open_request(order=asking(duration=least - 1)))
    world.act(world.open_request(order=asking(duration=least)))


def test_open_request__mint_closed_to_orders__is_refused(world: World) -> None:
    world.act(set_terms(USDC, enabled=False))
    with expect(errors.MintDisabled):
        world.act(world.open_request(mint=USDC))


def test_open_request__price_too_old__is_refused(world: World) -> None:
    world.wait(PRICE_MAX_AGE + 1)
    with expect(errors.PriceStale):
        world.act(world.open_request(mint=WSOL))


def test_open_request__orders_paused__is_refused(world: World) -> None:
    world.act(set_paused(PauseArea.ORDERS))
    with expect(errors.Paused):
        world.act(world.open_request())


def test_open_request__second_vault_shard__keeps_the_deposit_there(world: World) -> None:
    request = requested(world, shard=1)
    assert (world.vault(GPUM, 0).liabilities, world.vault(GPUM, 1).liabilities) == (0, REQUEST.deposit)
    world.act(world.cancel_request(request))
    assert world.vault(GPUM, 1).liabilities == 0
