"""hand_over: from then on only executed proposals act as the market's authority. Invariants MKT-7, GOV-1."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.types.action import ActionSetPaused
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.rules.market import is_paused

from .harness.actors import AUTHORITY, GUARDIAN, HOST, MARKET, STRANGER, USDC
from .harness.changes import approve_host, set_parameter, set_paused, set_terms
from .harness.governance import BEGIN, GOVERNANCE, enacted, hand_over, put_pool, with_stake
from .harness.keys import address
from .harness.outcome import expect
from .harness.terms import USDC_TERMS
from .harness.tokens import put_mint
from .harness.world import World

NEW_MINT = address("mint after the hand-over")


def add_payment_mint(world: World) -> Instruction:
    put_mint(world.cluster, NEW_MINT)
    return instructions.add_payment_mint(authority=AUTHORITY, mint=NEW_MINT, terms=USDC_TERMS)


ACTS_OF_THE_AUTHORITY: dict[str, Callable[[World], Instruction]] = {
    "update_market": lambda world: set_parameter(MarketParameter.TIP_LAMPORTS, 1),
    "update_market_key": lambda world: instructions.update_market_key(
        authority=AUTHORITY, key=MarketKey.GUARDIAN, new=AUTHORITY
    ),
    "set_paused": lambda world: set_paused(PauseArea.ORDERS),
    "add_payment_mint": add_payment_mint,
    "update_payment_mint": lambda world: set_terms(USDC, enabled=False),
    "approve_host": lambda world: approve_host(approved=False),
    "hand_over": lambda world: hand_over(),
}


def test_hand_over__authority__becomes_the_governance_address(world: World) -> None:
    with_stake(world)
    seq = world.market().seq
    event = world.act(hand_over()).event(events.AuthorityHandedOver)
    assert event == events.AuthorityHandedOver(market=MARKET, old=AUTHORITY, new=GOVERNANCE, at=BEGIN, seq=seq + 1)
    assert world.market().authority == GOVERNANCE


@pytest.mark.parametrize("signer", [GUARDIAN, HOST, STRANGER])
def test_hand_over__not_the_authority__is_refused(world: World, signer: Pubkey) -> None:
    with_stake(world)
    with expect(errors.Unauthorized):
        world.act(hand_over(signer))


@pytest.mark.parametrize(("missing", "warming"), [(1, 0), (1, 1), (0, 0)])
def test_hand_over__stake_around_what_a_proposal_takes__is_refused_below(
    world: World, missing: int, warming: int
) -> None:
    """Nobody could ever make a proposal: the market would be frozen as it is."""
    put_pool(world, world.market().proposal_stake - missing, warming=warming)
    if missing > warming:
        with expect(errors.StakeTooSmall):
            world.act(hand_over())
    else:
        world.act(hand_over())


@pytest.mark.parametrize("name", ACTS_OF_THE_AUTHORITY)
def test_hand_over__former_authority__can_do_nothing(world: World, name: str) -> None:
    with_stake(world).act(hand_over())
    with expect(errors.Unauthorized):
        world.act(ACTS_OF_THE_AUTHORITY[name](world))


def test_hand_over__guardian__pauses_and_only_a_vote_resumes(world: World) -> None:
    with_stake(world).act(hand_over())
    world.act(set_paused(PauseArea.ORDERS, caller=GUARDIAN))
    with expect(errors.Unauthorized):
        world.act(set_paused(PauseArea.ORDERS, paused=False, caller=GUARDIAN))
    enacted(world, ActionSetPaused(PauseArea.ORDERS, paused=False))
    assert not is_paused(world.market(), PauseArea.ORDERS, world.now)
