"""claim: pays what ended epochs have earned. Invariants STK-1, STK-2."""

from __future__ import annotations

from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_stake

from .harness.actors import GPUM, MINTS, RENTER, TENANT, USDC
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.staking import POOL, STREAMS, TOKEN, claim, fund_rewards, next_epoch, pool_of, stake, stake_of, staked
from .harness.tokens import put_tokens, token_address
from .harness.world import World


def earned(world: World, amount: int, *mints: Pubkey) -> None:
    """RENTER has 1 and TENANT 3 tokens in an epoch that pays `amount`; the epoch has ended."""
    world.act(stake(RENTER, TOKEN), stake(TENANT, 3 * TOKEN))
    next_epoch(world)
    world.act(*(fund_rewards(amount, mint) for mint in mints or (GPUM,)))
    next_epoch(world)
    next_epoch(world)


@pytest.mark.parametrize("mint", MINTS)
def test_claim__ended_epoch__pays_by_share(world: World, mint: Pubkey) -> None:
    earned(world, 1_001, mint)
    before = world.tokens(RENTER, mint)
    event = world.act(claim(RENTER, mint)).events[-1]
    assert isinstance(event, events.RewardsClaimed)
    assert (event.stream, event.mint, event.amount) == (STREAMS[mint], mint, 250)
    assert event.state.owed == (0, 0, 0, 0)
    assert world.tokens(RENTER, mint) == before + 250
    world.act(claim(TENANT, mint))
    stream = pool_of(world).rewards[STREAMS[mint]]
    assert (stream.claimed, stream.held) == (1_000, 1)


def test_claim__one_stream__leaves_the_others(world: World) -> None:
    earned(world, 1_000_000, *MINTS)
    world.act(claim(RENTER, USDC))
    assert stake_of(world).owed == (250_000, 0, 250_000, 0)


def test_claim__running_epoch__pays_nothing_yet(world: World) -> None:
    staked(world, TOKEN)
    world.act(fund_rewards(1_000))
    next_epoch(world)
    world.wait(86_399)
    with expect(errors.NothingToClaim):
        world.act(claim())
    world.wait(1)
    world.act(claim())


def test_claim__twice__is_refused(world: World) -> None:
    earned(world, 1_000)
    world.act(claim())
    with expect(errors.NothingToClaim):
        world.act(claim())


def test_claim__second_token_account__is_the_owners_choice(world: World) -> None:
    earned(world, 1_000)
    other = put_tokens(world.cluster, GPUM, RENTER, 0, at=address("renter's second account"))
    world.act(claim(owner_payout=other))
    assert world.tokens(RENTER) == WALLET_TOKENS - TOKEN


@pytest.mark.parametrize(
    ("error", "changes"),
    [
        (errors.WrongStakeOwner, {"owner": TENANT, "stake": find_stake(RENTER)[0]}),
        (errors.WrongTokenOwner, {"owner_payout": token_address(TENANT, GPUM)}),
        (errors.WrongMint, {"owner_payout": token_address(RENTER, USDC)}),
        (errors.WrongPoolAccount, {"stream_token": token_address(POOL, USDC)}),
        (errors.WrongPoolAccount, {"stream": 1}),
        (errors.UnknownRewardStream, {"stream": 3}),
    ],
)
def test_claim__foreign_stream_mint_or_account__is_refused(
    world: World, error: type[errors.ProgramError], changes: dict[str, Any]
) -> None:
    earned(world, 1_000, *MINTS)
    with expect(error):
        world.act(claim(**changes))
