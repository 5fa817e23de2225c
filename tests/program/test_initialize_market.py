"""initialize_market: the upgrade authority opens the market once. Invariants MKT-4, RNT-19."""

from __future__ import annotations

import pytest
from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.market import Market
from anchor_client.generated.pdas import find_market
from anchor_client.generated.types.market_keys import MarketKeys

from .harness.actors import AUTHORITY, GPUM, GUARDIAN, MARKET, STRANGER, TREASURY, WSOL
from .harness.cluster import PROGRAM_DATA, START
from .harness.keys import address
from .harness.market import set_upgrade_authority
from .harness.outcome import expect, expect_refusal
from .harness.tokens import TOKEN_2022, put_mint
from .harness.world import World

KEYS = MarketKeys(guardian=GUARDIAN, treasury=TREASURY)


GPUM_UNIT = 10**6


def initialize(
    authority: Pubkey = AUTHORITY,
    program_data: Pubkey = PROGRAM_DATA,
    market_mint: Pubkey = GPUM,
    testing: bool = False,
) -> Instruction:
    return instructions.initialize_market(
        authority=authority, program_data=program_data, market_mint=market_mint, keys=KEYS, testing=testing
    )


def test_initialize_market__upgrade_authority__opens_with_the_documented_defaults(empty: World) -> None:
    outcome = empty.act(initialize())
    assert empty.market() == Market(
        version=1,
        bump=find_market()[1],
        paused=0,
        market_decimals=6,
        testing=0,
        reserved_flags=bytes(3),
        authority=AUTHORITY,
        guardian=GUARDIAN,
        market_mint=GPUM,
        treasury=TREASURY,
        seq=1,
        order_min_usd=5_000_000,
        tip_lamports=20_000,
        min_duration=21_600,
        max_duration=10_800_000,
        provision_timeout=900,
        offline_after=1_800,
        on_demand_fee_bps=1_000,
        reserved_fee_bps=1_000,
        spot_fee_bps=250,
        reserved_discount_bps=1_000,
        holdback_bps=1_000,
        fee_burn_bps=2_000,
        fee_stakers_bps=5_000,
        spot_grace=90,
        next_proposal=0,
        priority_stake=100_000 * GPUM_UNIT,
        quota_stake_step=10_000 * GPUM_UNIT,
        quota_spend_step=500_000_000,
        mfp_per_point=1_000 * GPUM_UNIT,
        proposal_stake=100_000 * GPUM_UNIT,
        epoch_seconds=86_400,
        mfp_unlock_delay=604_800,
        voting_period=259_200,
        timelock=86_400,
        charge_window=86_400,
        holdback_window=86_400,
        finish_window=86_400,
        reserved_tail=bytes(2),
        min_charge_seconds=60,
        provision_promise=120,
        extend_tolerance_bps=1_000,
        post_step_bps=500,
        min_post_interval=60,
        answer_window=60,
        answer_slots=150,
        min_rated_seconds=600,
        reputation_interval=86_400,
        reputation_prior_usd=1_000_000_000,
        spot_increment_bps=500,
        priority_window=30,
        quota_base=20,
        quota_region_base=10,
        quorum_bps=1_000,
        threshold_bps=6_000,
        critical_timelock=691_200,
        guardian_paused_until=(0, 0, 0),
        critical_quorum_bps=3_000,
        critical_threshold_bps=6_667,
        votes_end_at=0,
        reserved=bytes(64),
        reserved_late=bytes(24),
        reserved_middle=bytes(12),
        subsidy_max_hours=24,
        subsidy_daily_bps=1_000,
    )
    assert outcome.event(events.MarketInitialized) == events.MarketInitialized(
        market=MARKET,
        authority=AUTHORITY,
        guardian=GUARDIAN,
        market_mint=GPUM,
        treasury=TREASURY,
        testing=False,
        at=START,
        seq=1,
    )
    assert outcome.lamports_gained(AUTHORITY) == -empty.cluster.rent(Market.SIZE)


def test_initialize_market__for_tests__says_so_and_has_the_same_defaults(empty: World) -> None:
    assert empty.act(initialize(testing=True)).event(events.MarketInitialized).testing
    market = empty.market()
    assert (market.testing, market.voting_period, market.critical_timelock) == (1, 259_200, 691_200)


def test_initialize_market__not_the_upgrade_authority__is_refused(empty: World) -> None:
    with expect(errors.WrongUpgradeAuthority):
        empty.act(initialize(authority=STRANGER))


def test_initialize_market__token_whose_issuer_may_freeze__is_refused(empty: World) -> None:
    put_mint(empty.cluster, GPUM, freezable=True)
    with expect(errors.FreezableMarketToken):
        empty.act(initialize())


def test_initialize_market__final_program__is_refused(empty: World) -> None:
    set_upgrade_authority(empty.cluster, None)
    with expect(errors.WrongUpgradeAuthority):
        empty.act(initialize())


def test_initialize_market__program_data_of_another_program__is_refused(empty: World) -> None:
    data = empty.cluster.account(PROGRAM_DATA)
    assert data is not None
    empty.cluster.set_account(address("other program data"), data)
    with expect(errors.WrongUpgradeAuthority):
        empty.act(initialize(program_data=address("other program data")))


def test_initialize_market__twice__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(initialize())


def test_initialize_market__prefunded_address__works(empty: World) -> None:
    empty.cluster.set_account(MARKET, Account(1, b"", Pubkey.default()))
    outcome = empty.act(initialize())
    assert outcome.lamports_gained(AUTHORITY) == 1 - empty.cluster.rent(Market.SIZE)


def test_initialize_market__native_mint__is_refused(empty: World) -> None:
    with expect(errors.NativeMarketToken):
        empty.act(initialize(market_mint=WSOL))


def test_initialize_market__token_2022_mint__is_refused(empty: World) -> None:
    put_mint(empty.cluster, address("newer mint"), owner=TOKEN_2022)
    with expect(errors.Token2022Unsupported):
        empty.act(initialize(market_mint=address("newer mint")))


@pytest.mark.parametrize("mint", [STRANGER, PROGRAM_DATA, address("nothing")])
def test_initialize_market__no_mint__is_refused(empty: World, mint: Pubkey) -> None:
    with expect(errors.InvalidMint):
        empty.act(initialize(market_mint=mint))
