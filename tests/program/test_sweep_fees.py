"""sweep_fees: anyone divides a vault's fees between burn, stakers and treasury. Invariants SYS-7, MKT-1, MKT-2."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import AUTHORITY, GPUM, KEEPER, MINTS, STRANGER, TREASURY, USDC
from .harness.flows import running
from .harness.outcome import expect
from .harness.terms import HOUR
from .harness.tokens import put_tokens, supply_of, token_address
from .harness.world import World

Harm = Callable[[World, Pubkey], None]


def earn_fees(world: World, mint: Pubkey = GPUM) -> int:
    """Ends a rental; gives the fees that its vault then holds."""
    rental = running(world, mint=mint)
    world.run(HOUR)
    world.act(world.finalize_rental(rental))
    due = world.vault(mint).fees_due
    assert due > 0
    return due


def set_shares(world: World, burn: int, stakers: int) -> None:
    order = [(MarketParameter.FEE_BURN_BPS, 0), (MarketParameter.FEE_STAKERS_BPS, stakers)]
    for parameter, value in [*order, (MarketParameter.FEE_BURN_BPS, burn)]:
        world.act(instructions.update_market(authority=AUTHORITY, parameter=parameter, value=value))


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize(("burn", "stakers"), [(2_000, 5_000), (0, 0), (10_000, 0), (0, 10_000), (3_333, 3_333)])
def test_sweep_fees__anyone__divides_by_the_shares(world: World, mint: Pubkey, burn: int, stakers: int) -> None:
    due = earn_fees(world, mint)
    set_shares(world, burn, stakers)
    supply, treasury = supply_of(world.cluster, mint), world.tokens(TREASURY, mint)
    seq = world.vault(mint).seq
    outcome = world.act(world.sweep_fees(mint))
    burned = due * burn // 10_000 if mint == GPUM else 0
    kept = due * stakers // 10_000
    assert outcome.event(events.FeesSwept) == events.FeesSwept(
        vault=find_vault(mint, 0)[0],
        mint=mint,
        burned=burned,
        treasury_share=due - burned - kept,
        treasury=due - burned - kept,
        stakers=kept,
        by=KEEPER,
        at=world.now,
        vault_seq=seq + 1,
    )
    vault = world.vault(mint)
    assert (vault.fees_due, vault.stakers_due, vault.treasury_due) == (0, kept, 0)
    assert supply_of(world.cluster, mint) == supply - burned
    assert world.tokens(TREASURY, mint) == treasury + due - burned - kept


def test_sweep_fees__stakers_share__adds_up(world: World) -> None:
    first = earn_fees(world, USDC) // 2
    world.act(world.sweep_fees(USDC))
    second = earn_fees(world, USDC) // 2
    world.act(world.sweep_fees(USDC))
    assert world.vault(USDC).stakers_due == first + second


def test_sweep_fees__nothing_due__is_refused(world: World) -> None:
    earn_fees(world)
    world.act(world.sweep_fees())
    with expect(errors.ZeroAmount):
        world.act(world.sweep_fees())


def test_sweep_fees__new_treasury__is_the_one_paid(world: World) -> None:
    earn_fees(world)
    world.act(instructions.update_market_key(authority=AUTHORITY, key=MarketKey.TREASURY, new=STRANGER))
    old = world.sweep_fees(treasury_token=token_address(TREASURY, GPUM))
    with expect(errors.WrongTokenOwner):
        world.act(old)
    world.act(world.sweep_fees())


def test_sweep_fees__strangers_token_account__is_refused(world: World) -> None:
    earn_fees(world)
    with expect(errors.WrongTokenOwner):
        world.act(world.sweep_fees(caller=STRANGER, treasury_token=token_address(STRANGER, GPUM)))


def test_sweep_fees__treasury_account_of_another_mint__is_refused(world: World) -> None:
    earn_fees(world)
    with expect(errors.WrongMint):
        world.act(world.sweep_fees(treasury_token=token_address(TREASURY, USDC)))


def freeze(world: World, mint: Pubkey) -> None:
    put_tokens(world.cluster, mint, TREASURY, 0, frozen=True)


def close(world: World, mint: Pubkey) -> None:
    world.cluster.set_account(token_address(TREASURY, mint), Account(1, b"", Pubkey.default()))


@pytest.mark.parametrize("harm", [freeze, close])
def test_sweep_fees__treasury_that_cannot_be_paid__waits_and_holds_nothing_else_up(world: World, harm: Harm) -> None:
    due = earn_fees(world)
    harm(world, GPUM)
    swept = world.act(world.sweep_fees()).event(events.FeesSwept)
    assert swept.treasury == 0 < swept.treasury_share and swept.burned > 0 < swept.stakers
    assert swept.burned + swept.stakers + swept.treasury_share == due
    vault = world.vault()
    assert (vault.fees_due, vault.stakers_due, vault.treasury_due) == (0, swept.stakers, swept.treasury_share)
    with expect(errors.PayeeNotPayable):
        world.act(world.sweep_fees())
    put_tokens(world.cluster, GPUM, TREASURY, 0)
    paid = world.act(world.sweep_fees()).event(events.FeesSwept)
    assert (paid.burned, paid.stakers, paid.treasury_share, paid.treasury) == (0, 0, 0, swept.treasury_share)
    assert (world.vault().treasury_due, world.tokens(TREASURY)) == (0, swept.treasury_share)
    with expect(errors.ZeroAmount):
        world.act(world.sweep_fees())


def test_sweep_fees__share_that_waits__is_never_divided_again(world: World) -> None:
    earn_fees(world, USDC)
    freeze(world, USDC)
    first = world.act(world.sweep_fees(USDC)).event(events.FeesSwept)
    due = earn_fees(world, USDC)
    put_tokens(world.cluster, USDC, TREASURY, 0)
    second = world.act(world.sweep_fees(USDC)).event(events.FeesSwept)
    assert second.treasury_share + second.stakers == due
    assert second.treasury == first.treasury_share + second.treasury_share == world.tokens(TREASURY, USDC)


def test_sweep_fees__another_mint__is_refused(world: World) -> None:
    earn_fees(world)
    vault = find_vault(GPUM, 0)[0]
    act = instructions.sweep_fees(
        caller=KEEPER,
        vault=vault,
        vault_token=token_address(vault, GPUM),
        treasury_token=token_address(TREASURY, GPUM),
        mint=USDC,
    )
    with expect(errors.WrongMint):
        world.act(act)


def test_sweep_fees__token_account_of_another_vault__is_refused(world: World) -> None:
    earn_fees(world)
    with expect(errors.WrongVault):
        world.act(world.sweep_fees(vault_token=token_address(find_vault(GPUM, 1)[0], GPUM)))
