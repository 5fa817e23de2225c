"""One address that signs for many: a vault signs for its own tokens and for the rentals that lie in it, no others.

Invariants SYS-1, MKT-2.
"""

from __future__ import annotations

import pytest

from anchor_client.generated.accounts import Vault
from anchor_client.generated.pdas import find_vault
from tests.sweeps import sampled

from ..harness.scenarios import SCENARIOS, accounts_of
from ..harness.specimens import VAULTS, replaced
from ..harness.tokens import token_address
from .cases import INSTRUCTIONS, works

FREE_SHARD = {"open_rental", "place_bid", "outbid", "open_request", "fund_subsidy"}
"""The renter or funder chooses which shard of the mint the money lies in."""

VAULT_USERS = [
    name
    for name in INSTRUCTIONS
    if {"vault", "vault_token"} <= {each["name"] for each in accounts_of(name)} and name != "add_vault"
]


@pytest.mark.parametrize("name", sampled(VAULT_USERS, every=4))
def test_pda_sharing__another_vault_with_its_own_tokens__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    places = {each["name"]: index for index, each in enumerate(accounts_of(name))}
    for what, mint, shard in VAULTS:
        vault = find_vault(mint, shard)[0]
        swapped = replaced(instruction, places["vault"], vault)
        swapped = replaced(swapped, places["vault_token"], token_address(vault, mint))
        original = instruction.accounts[places["vault"]].pubkey
        same_mint = mint == world.read(Vault, original).mint
        if vault == original or (same_mint and name in FREE_SHARD):
            continue
        assert not works(world, swapped), what


@pytest.mark.parametrize("name", sampled(VAULT_USERS, every=4))
def test_pda_sharing__tokens_of_another_vault__are_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    places = {each["name"]: index for index, each in enumerate(accounts_of(name))}
    for what, mint, shard in VAULTS:
        tokens = token_address(find_vault(mint, shard)[0], mint)
        if tokens != instruction.accounts[places["vault_token"]].pubkey:
            assert not works(world, replaced(instruction, places["vault_token"], tokens)), what
