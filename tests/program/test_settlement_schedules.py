"""However often a rental is settled on its way, everybody ends with the same tokens. Invariant RNT-3."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from solders.pubkey import Pubkey

from .harness.actors import HOST, KEEPER, MINTS, RENTER
from .harness.flows import running
from .harness.market import seeded_world
from .harness.terms import HOUR
from .harness.tokens import supply_of
from .harness.world import World

ENDS = {
    "stop": World.stop_rental,
    "cancel": World.cancel_rental,
    "offline": World.report_offline,
    "expire": World.finalize_rental,
}


def wallets_after(mint: Pubkey, steps: list[tuple[int, bool]], end: str, *, settle: bool) -> list[int]:
    """Tokens of host and renter, the supply, and the vault's fees and pool after a rental of two hours."""
    world = seeded_world()
    rental = running(world, mint=mint, duration=2 * HOUR)
    for seconds, wanted in steps:
        world.run(seconds)
        if settle and wanted:
            world.act(world.settle_rental(rental))
    if end == "offline":
        world.fall_silent()
    elif end == "expire":
        world.wait(3 * HOUR)
    world.act(ENDS[end](world, rental))
    vault = world.vault(mint)
    held = [world.tokens(owner, mint) for owner in (HOST, RENTER, KEEPER)]
    return [*held, supply_of(world.cluster, mint), vault.fees_due, vault.subsidy_pool, vault.liabilities]


@settings(max_examples=30, derandomize=True, deadline=None)
@given(
    mint=st.sampled_from(MINTS),
    steps=st.lists(st.tuples(st.integers(1, 590), st.booleans()), min_size=1, max_size=12),
    end=st.sampled_from(sorted(ENDS)),
)
def test_settlement_schedules__any_of_them__end_with_the_same_tokens(
    mint: Pubkey, steps: list[tuple[int, bool]], end: str
) -> None:
    assert wallets_after(mint, steps, end, settle=True) == wallets_after(mint, steps, end, settle=False)
