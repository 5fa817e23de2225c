"""Stake as the program stores it, for tests that are about what stake is good for."""

from __future__ import annotations

from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Catalog, StakeAccount, StakePool
from anchor_client.generated.pdas import find_catalog, find_pool, find_stake
from tests.anchor_client.price_oracle import blank


def staked(owner: Pubkey, active: int, **fields: Any) -> tuple[Pubkey, bytes]:
    """A wallet's stake account: its address and its data; amounts are base units."""
    address, bump = find_stake(owner)
    return address, blank(StakeAccount, bump=bump, owner=owner, active=active, **fields).encode()


def pooled(active: int, **fields: Any) -> tuple[Pubkey, bytes]:
    """The pool of all stake: its address and its data."""
    address, bump = find_pool()
    return address, blank(StakePool, bump=bump, active=active, **fields).encode()


def cataloged() -> tuple[Pubkey, bytes]:
    """The catalog of GPU points, empty: its address and its data."""
    address, bump = find_catalog()
    return address, blank(Catalog, bump=bump).encode()
