"""Whoever is not the payee pays into the associated account alone: an old account may have a delegate that takes what
comes in. Invariant SYS-7."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors
from anchor_client.generated.types.action import ActionTreasuryTransfer, ActionWithdrawUnreserved

from .harness import charges
from .harness.actors import GPUM, HOST, KEEPER, STRANGER, TENANT, TREASURY
from .harness.flows import running
from .harness.governance import GOVERNANCE, due, execute, hand_over, with_stake
from .harness.keys import address
from .harness.outcome import expect
from .harness.specimens import replaced
from .harness.staking import FIFTH, fill_pool, put_fifth_mint, sweep_stakers
from .harness.terms import HOUR
from .harness.tokens import balance_of, put_tokens, token_address
from .harness.world import World

OPERATOR = STRANGER

Paying = Callable[[World, Pubkey], Instruction]
"""An act that pays into the given account of the payee's."""


def with_delegate(world: World, owner: Pubkey, mint: Pubkey = GPUM) -> Pubkey:
    """An old account of the owner's, of which a stranger may take everything."""
    at = address(f"old account of {owner}")
    return put_tokens(world.cluster, mint, owner, 0, at=at, delegate=STRANGER)


def settled(caller: Pubkey) -> Paying:
    def act(world: World, payout: Pubkey) -> Instruction:
        world.act(world.set_operator(OPERATOR))
        rental = running(world)
        world.run(HOUR // 2)
        return world.settle_rental(rental, caller=caller, host_payout=payout)

    return act


def metered(world: World, payout: Pubkey) -> Instruction:
    meter = charges.reported(world, charges.metered(world))
    world.wait(charges.WINDOW + 1)
    return charges.settle_meter(world, meter, host_payout=payout)


def swept(caller: Pubkey) -> Paying:
    def act(world: World, payout: Pubkey) -> Instruction:
        rental = running(world)
        world.run(HOUR)
        world.act(world.finalize_rental(rental))
        return world.sweep_fees(caller=caller, treasury_token=payout)

    return act


def released(world: World, payout: Pubkey) -> Instruction:
    rental = running(world, mint=FIFTH)
    world.run(HOUR)
    world.act(world.finalize_rental(rental), world.sweep_fees(FIFTH))
    fill_pool(world)
    return sweep_stakers(FIFTH, caller=STRANGER, stream_token=payout)


def transferred(world: World, payout: Pubkey) -> Instruction:
    put_tokens(world.cluster, GPUM, GOVERNANCE, 10**9)
    with_stake(world).act(hand_over())
    proposal = due(world, ActionTreasuryTransfer(GPUM, TENANT, 10**9))
    act = execute(world, proposal)
    return in_place_of(act, token_address(TENANT, GPUM), payout)


def withdrawn_by_vote(world: World, payout: Pubkey) -> Instruction:
    put_tokens(world.cluster, GPUM, GOVERNANCE, 0)
    with_stake(world).act(hand_over())
    proposal = due(world, ActionWithdrawUnreserved(GPUM, 0, 1_000))
    return in_place_of(execute(world, proposal), token_address(GOVERNANCE, GPUM), payout)


def in_place_of(act: Instruction, account: Pubkey, other: Pubkey) -> Instruction:
    (index,) = [index for index, meta in enumerate(act.accounts) if meta.pubkey == account]
    return replaced(act, index, other)


ATTACKS: dict[str, tuple[Pubkey, Pubkey, Paying]] = {
    "settle_rental by anyone": (HOST, GPUM, settled(KEEPER)),
    "settle_rental by the operator": (HOST, GPUM, settled(OPERATOR)),
    "settle_meter": (HOST, GPUM, metered),
    "sweep_fees": (TREASURY, GPUM, swept(STRANGER)),
    "sweep_stakers": (TREASURY, FIFTH, released),
    "execute_proposal, a transfer": (TENANT, GPUM, transferred),
    "execute_proposal, a withdrawal": (GOVERNANCE, GPUM, withdrawn_by_vote),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_payment__account_that_a_stranger_chose__is_refused_and_the_associated_one_paid(
    world: World, name: str
) -> None:
    payee, mint, paying = ATTACKS[name]
    if mint == FIFTH:
        put_fifth_mint(world)
    put_tokens(world.cluster, mint, payee, world.tokens(payee, mint))
    old = with_delegate(world, payee, mint)
    act = paying(world, old)
    with expect(errors.NotAssociated):
        world.act(act)
    before = world.tokens(payee, mint)
    world.act(in_place_of(act, old, token_address(payee, mint)))
    assert world.tokens(payee, mint) > before


def test_payment__payee_who_signs__chooses_any_account_of_theirs(world: World) -> None:
    old = with_delegate(world, HOST)
    before = world.tokens(HOST)
    world.act(settled(HOST)(world, old))
    assert world.tokens(HOST) == before and balance_of(world.cluster, old) > 0


def test_sweep_fees__treasury_that_signs__chooses_any_account_of_its_own(world: World) -> None:
    old = with_delegate(world, TREASURY)
    before = world.tokens(TREASURY)
    world.act(swept(TREASURY)(world, old))
    assert world.tokens(TREASURY) == before and balance_of(world.cluster, old) > 0
