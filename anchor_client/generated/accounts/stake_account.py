"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Account

from ..types.warm_up import WarmUp


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StakeAccount(Account):
    """Market tokens that a wallet has staked, at seeds `"stake", owner`.

    New stake warms up until its epoch ends; then it counts without anyone touching the account.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("509e437c32bdc0ff")
    SIZE: ClassVar[int] = 368
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
            "checkpoints": 104,
            "warm_checkpoints": 168,
            "owed": 232,
            "warm_ups": 264,
            "proposal": 328,
            "next_proposal": 360,
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
        checkpoints=layouts.array(4, layouts.array(2, layouts.U64)),
        warm_checkpoints=layouts.array(4, layouts.array(2, layouts.U64)),
        owed=layouts.array(4, layouts.U64),
        warm_ups=layouts.array(4, layouts.struct(WarmUp)),
        proposal=layouts.PUBKEY,
        next_proposal=layouts.U64,
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
    checkpoints: tuple[tuple[int, ...], ...]
    """Each stream's accumulator up to which `active` has been credited."""
    warm_checkpoints: tuple[tuple[int, ...], ...]
    """Each stream's accumulator from which `warming` earns."""
    owed: tuple[int, ...]
    """Credited and not claimed, in each stream's base units."""
    warm_ups: tuple[WarmUp, ...]
    """The last warm-ups, oldest first."""
    proposal: Pubkey
    """The wallet's live proposal, or none."""
    next_proposal: int
    """Nonce of the wallet's next proposal. It begins at the slot in which the account is made and is at most that in
    which it is closed, so an account that is made again uses none twice.
    """
