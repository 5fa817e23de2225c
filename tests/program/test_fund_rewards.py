"""fund_rewards: anyone adds rewards for the next epoch. Invariants STK-1, STK-2."""

from __future__ import annotations

from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events

from .harness.actors import GPUM, MINTS, STRANGER, TENANT, USDC, WSOL
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.staking import POOL, STREAMS, fund_rewards, pool_of
from .harness.tokens import put_tokens, token_address
from .harness.world import World


@pytest.mark.parametrize("mint", MINTS)
def test_fund_rewards__anyone__adds_to_the_queue(world: World, mint: Pubkey) -> None:
    world.act(fund_rewards(1_000, mint))
    pool = pool_of(world)
    outcome = world.act(fund_rewards(234, mint))
    assert outcome.event(events.RewardsFunded) == events.RewardsFunded(
        pool=POOL,
        stream=STREAMS[mint],
        mint=mint,
        by=STRANGER,
        amount=234,
        queued=1_234,
        funded=1_234,
        at=world.now,
        pool_seq=pool.seq + 1,
    )
    assert world.tokens(POOL, mint) == 1_234


def test_fund_rewards__nothing__is_refused(world: World) -> None:
    with expect(errors.ZeroAmount):
        world.act(fund_rewards(0))


def test_fund_rewards__balance__must_cover_it_exactly(world: World) -> None:
    with expect(errors.InsufficientFunds):
        world.act(fund_rewards(WALLET_TOKENS + 1))
    world.act(fund_rewards(WALLET_TOKENS))


@pytest.mark.parametrize(
    ("error", "changes"),
    [
        (errors.UnknownRewardStream, {"stream": 3}),
        (errors.UnknownRewardStream, {"stream": 255}),
        (errors.WrongPoolAccount, {"stream": 1}),
        (errors.WrongPoolAccount, {"stream_token": token_address(POOL, USDC)}),
        (errors.WrongPoolAccount, {"stream_token": token_address(STRANGER, WSOL)}),
        (errors.WrongMint, {"funder_token": token_address(STRANGER, USDC)}),
        (errors.WrongTokenOwner, {"funder_token": token_address(TENANT, GPUM)}),
    ],
)
def test_fund_rewards__foreign_stream_mint_or_account__is_refused(
    world: World, error: type[errors.ProgramError], changes: dict[str, Any]
) -> None:
    with expect(error):
        world.act(fund_rewards(5, **changes))


def test_fund_rewards__the_pools_other_account__is_not_the_streams(world: World) -> None:
    other = put_tokens(world.cluster, GPUM, POOL, 0, at=address("the pool's second account"))
    with expect(errors.WrongPoolAccount):
        world.act(fund_rewards(5, stream_token=other))
