"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_client.idl_runtime import layouts
from anchor_client.idl_runtime.layouts import Fields
from anchor_client.idl_runtime.structs import Account


@dataclass(frozen=True, slots=True)
class StakeAccount(Account):
    """Market tokens that a wallet has staked, at seeds `"stake", owner`.

    What was staked in an epoch warms up until the epoch ends; then it counts without anyone touching the account.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("509e437c32bdc0ff")
    SIZE: ClassVar[int] = 360
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "reserved_flags": 10,
            "owner": 16,
            "seq": 48,
            "active": 56,
            "warming": 64,
            "cooling": 72,
            "warm_at": 80,
            "cool_at": 88,
            "voting_until": 96,
            "reserved": 104,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        reserved_flags=layouts.byte_array(6),
        owner=layouts.PUBKEY,
        seq=layouts.U64,
        active=layouts.U64,
        warming=layouts.U64,
        cooling=layouts.U64,
        warm_at=layouts.I64,
        cool_at=layouts.I64,
        voting_until=layouts.I64,
        reserved=layouts.byte_array(256),
    )

    version: int
    bump: int
    reserved_flags: bytes
    owner: Pubkey
    seq: int
    active: int
    warming: int
    cooling: int
    warm_at: int
    """From when `warming` counts as active."""
    cool_at: int
    """From when `cooling` may be withdrawn."""
    voting_until: int
    """Until when votes keep the stake in place."""
    reserved: bytes
