"""Payees who cannot take what they are owed, and vaults that cannot pay it, as the token program would leave them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_vault

from .actors import STRANGER
from .tokens import balance_of, put_tokens, token_address
from .world import World

Fault = Callable[[World, Pubkey, Pubkey], None]
"""Leaves a wallet without an account that takes a mint."""


def close_tokens(world: World, owner: Pubkey, mint: Pubkey) -> None:
    """The owner closes their associated account."""
    world.cluster.set_account(token_address(owner, mint), Account(0, b"", Pubkey.default()))


def freeze_tokens(world: World, owner: Pubkey, mint: Pubkey) -> None:
    """The mint's freeze authority freezes it."""
    put_tokens(world.cluster, mint, owner, world.tokens(owner, mint), frozen=True)


def give_away(world: World, owner: Pubkey, mint: Pubkey) -> None:
    """The owner makes it somebody else's."""
    put_tokens(world.cluster, mint, STRANGER, 0, at=token_address(owner, mint))


def drain(world: World, owner: Pubkey) -> None:
    """The wallet sends away all its lamports."""
    world.cluster.set_account(owner, Account(0, b"", Pubkey.default()))


def freeze_vault(world: World, mint: Pubkey, *, frozen: bool = True) -> None:
    """The mint's freeze authority freezes a vault, or thaws it."""
    vault = find_vault(mint, 0)[0]
    put_tokens(world.cluster, mint, vault, balance_of(world.cluster, token_address(vault, mint)), frozen=frozen)


FAULTS: Final[tuple[Fault, ...]] = (close_tokens, freeze_tokens, give_away)
