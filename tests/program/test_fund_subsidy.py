"""fund_subsidy: anyone adds market tokens to a vault's subsidy pool."""

from __future__ import annotations

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_vault

from .harness.actors import GPUM, HOST, STRANGER, USDC
from .harness.cluster import START
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.terms import SUBSIDY_FUNDED
from .harness.tokens import TOKEN_2022, put_tokens, token_address
from .harness.world import World


@pytest.mark.parametrize("amount", [1, 123_456_789, WALLET_TOKENS])
def test_fund_subsidy__anyone__fills_that_vaults_pool(world: World, amount: int) -> None:
    seq = world.vault().seq
    outcome = world.act(world.fund_subsidy(STRANGER, amount))
    assert outcome.event(events.SubsidyFunded) == events.SubsidyFunded(
        vault=find_vault(GPUM, 0)[0],
        mint=GPUM,
        by=STRANGER,
        amount=amount,
        old=SUBSIDY_FUNDED,
        new=SUBSIDY_FUNDED + amount,
        at=START,
        vault_seq=seq + 1,
    )
    assert world.vault().subsidy_pool == SUBSIDY_FUNDED + amount
    assert world.vault(shard=1).subsidy_pool == 0
    assert world.tokens(STRANGER) == WALLET_TOKENS - amount


def test_fund_subsidy__nothing__is_refused(world: World) -> None:
    with expect(errors.ZeroAmount):
        world.act(world.fund_subsidy(STRANGER, 0))


def test_fund_subsidy__more_than_held__is_refused(world: World) -> None:
    with expect(errors.InsufficientFunds):
        world.act(world.fund_subsidy(STRANGER, WALLET_TOKENS + 1))


def test_fund_subsidy__vault_of_another_mint__is_refused(world: World) -> None:
    vault = find_vault(USDC, 0)[0]
    act = instructions.fund_subsidy(
        funder=STRANGER,
        amount=1,
        vault=vault,
        vault_token=token_address(vault, USDC),
        funder_token=token_address(STRANGER, USDC),
    )
    with expect(errors.WrongVault):
        world.act(act)


def test_fund_subsidy__token_account_of_another_vault__is_refused(world: World) -> None:
    with expect(errors.WrongVault):
        world.act(world.fund_subsidy(STRANGER, 1, vault_token=token_address(find_vault(GPUM, 1)[0], GPUM)))


def test_fund_subsidy__tokens_of_another_owner__is_refused(world: World) -> None:
    with expect(errors.WrongTokenOwner):
        world.act(world.fund_subsidy(STRANGER, 1, funder_token=token_address(HOST, GPUM)))


def test_fund_subsidy__tokens_of_another_mint__is_refused(world: World) -> None:
    with expect(errors.WrongMint):
        world.act(world.fund_subsidy(STRANGER, 1, funder_token=token_address(STRANGER, USDC)))


def test_fund_subsidy__frozen_tokens__is_refused(world: World) -> None:
    frozen = put_tokens(world.cluster, GPUM, STRANGER, 5, at=address("frozen"), frozen=True)
    with expect(errors.TokenAccountFrozen):
        world.act(world.fund_subsidy(STRANGER, 1, funder_token=frozen))


def test_fund_subsidy__token_2022_account__is_refused(world: World) -> None:
    newer = put_tokens(world.cluster, GPUM, STRANGER, 5, at=address("newer"), program=TOKEN_2022)
    with expect(errors.InvalidTokenAccount):
        world.act(world.fund_subsidy(STRANGER, 1, funder_token=newer))


def test_fund_subsidy__closed_token_account__is_refused(world: World) -> None:
    world.cluster.set_account(address("closed"), Account(1, b"", Pubkey.default()))
    with expect(errors.InvalidTokenAccount):
        world.act(world.fund_subsidy(STRANGER, 1, funder_token=address("closed")))


def test_fund_subsidy__vault_into_itself__is_refused(world: World) -> None:
    vault_token = token_address(find_vault(GPUM, 0)[0], GPUM)
    with expect_refusal():
        world.act(world.fund_subsidy(STRANGER, 1, funder_token=vault_token))
