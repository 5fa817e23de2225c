"""initialize_pool: the authority opens staking once. Invariants SYS-5, RNT-9."""

from __future__ import annotations

from anchor_client.generated import errors, events, instructions

from .harness.actors import AUTHORITY, GPUM, STRANGER, USDC
from .harness.keys import address
from .harness.outcome import expect, expect_refusal
from .harness.scenarios import SCENARIOS
from .harness.staking import EPOCH, POOL, pool_of
from .harness.tokens import put_tokens, token_address
from .harness.world import World


def test_initialize_pool__authority__begins_the_first_epoch() -> None:
    world, act = SCENARIOS["initialize_pool"]()
    token_account = token_address(POOL, GPUM)
    assert world.act(act).event(events.PoolInitialized) == events.PoolInitialized(
        pool=POOL,
        mint=GPUM,
        token_account=token_account,
        epoch_ends_at=world.now + EPOCH,
        at=world.now,
        pool_seq=1,
    )
    pool = pool_of(world)
    assert (pool.mint, pool.token_account, pool.streams) == (GPUM, token_account, 0)
    assert (pool.epoch, pool.epoch_started_at, pool.epoch_ends_at) == (0, world.now, world.now + EPOCH)
    assert (pool.active, pool.warming, pool.cooling) == (0, 0, 0)


def test_initialize_pool__anybody_else__is_refused() -> None:
    world, _ = SCENARIOS["initialize_pool"]()
    with expect(errors.Unauthorized):
        world.act(instructions.initialize_pool(authority=STRANGER, pool_token=token_address(POOL, GPUM)))


def test_initialize_pool__second_time__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(instructions.initialize_pool(authority=AUTHORITY, pool_token=token_address(POOL, GPUM)))


def test_initialize_pool__another_token_account__is_refused() -> None:
    world, _ = SCENARIOS["initialize_pool"]()
    other = put_tokens(world.cluster, GPUM, POOL, 0, at=address("the pool's second account"))
    for wrong in (other, token_address(POOL, USDC), token_address(STRANGER, GPUM)):
        with expect(errors.WrongPoolAccount):
            world.act(instructions.initialize_pool(authority=AUTHORITY, pool_token=wrong))
