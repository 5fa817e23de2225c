"""add_reward_mint: the authority opens a reward stream. Invariants SYS-5, RNT-9."""

from __future__ import annotations

from anchor_client.generated import errors, events

from .harness.actors import GPUM, RENTER, STRANGER, USDC
from .harness.keys import address
from .harness.outcome import expect
from .harness.staking import POOL, TOKEN, add_reward_mint, claim, fund_rewards, next_epoch, pool_of, staked
from .harness.tokens import put_mint, put_tokens, token_address
from .harness.world import World

MINT = address("a fourth reward mint")


def put_stream(world: World) -> None:
    put_mint(world.cluster, MINT)
    put_tokens(world.cluster, MINT, POOL, 0)


def test_add_reward_mint__authority__opens_the_next_stream(world: World) -> None:
    put_stream(world)
    seq = pool_of(world).seq
    outcome = world.act(add_reward_mint(MINT))
    assert outcome.event(events.RewardMintAdded) == events.RewardMintAdded(
        pool=POOL, stream=3, mint=MINT, token_account=token_address(POOL, MINT), at=world.now, pool_seq=seq + 1
    )
    assert pool_of(world).streams == 4


def test_add_reward_mint__anybody_else__is_refused(world: World) -> None:
    put_stream(world)
    with expect(errors.Unauthorized):
        world.act(add_reward_mint(MINT, authority=STRANGER))


def test_add_reward_mint__second_time__is_refused(world: World) -> None:
    with expect(errors.RewardMintExists):
        world.act(add_reward_mint(USDC))


def test_add_reward_mint__fifth__is_refused(world: World) -> None:
    put_stream(world)
    world.act(add_reward_mint(MINT))
    fifth = address("a fifth reward mint")
    put_mint(world.cluster, fifth)
    put_tokens(world.cluster, fifth, POOL, 0)
    with expect(errors.TooManyRewardMints):
        world.act(add_reward_mint(fifth))


def test_add_reward_mint__another_token_account__is_refused(world: World) -> None:
    put_stream(world)
    other = put_tokens(world.cluster, MINT, POOL, 0, at=address("the pool's second account"))
    for wrong in (other, token_address(POOL, GPUM)):
        with expect(errors.WrongPoolAccount):
            world.act(add_reward_mint(MINT, stream_token=wrong))


def test_add_reward_mint__no_mint__is_refused(world: World) -> None:
    with expect(errors.InvalidMint):
        world.act(add_reward_mint(STRANGER))


def test_add_reward_mint__stake_that_was_there__earns_from_the_first_epoch(world: World) -> None:
    staked(world, TOKEN)
    put_stream(world)
    world.act(add_reward_mint(MINT))
    put_tokens(world.cluster, MINT, STRANGER, 10**6)
    world.act(fund_rewards(10**6, MINT, stream=3))
    next_epoch(world)
    next_epoch(world)
    put_tokens(world.cluster, MINT, RENTER, 0)
    world.act(claim(mint=MINT, stream=3))
    assert world.tokens(RENTER, MINT) == 10**6
