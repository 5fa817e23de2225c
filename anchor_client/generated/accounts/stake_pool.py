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

from ..types.reward_stream import RewardStream


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StakePool(Account):
    """All stake and the rewards it earns, at seeds `"pool"`.

    Rewards that arrive in one epoch are shared over the next, by those who are active through all of it. So what an
    epoch pays is known while it lasts, and catching up with any number of missed epochs takes two steps.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("7922ce154f7fff1c")
    SIZE: ClassVar[int] = 712
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "streams": 10,
            "reserved_flags": 11,
            "mint": 16,
            "token_account": 48,
            "seq": 80,
            "epoch": 88,
            "epoch_started_at": 96,
            "epoch_ends_at": 104,
            "active": 112,
            "warming": 120,
            "cooling": 128,
            "rewards": 136,
            "reserved": 648,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        streams=layouts.U8,
        reserved_flags=layouts.byte_array(5),
        mint=layouts.PUBKEY,
        token_account=layouts.PUBKEY,
        seq=layouts.U64,
        epoch=layouts.U64,
        epoch_started_at=layouts.I64,
        epoch_ends_at=layouts.I64,
        active=layouts.U64,
        warming=layouts.U64,
        cooling=layouts.U64,
        rewards=layouts.array(4, layouts.struct(RewardStream)),
        reserved=layouts.byte_array(64),
    )

    version: int
    bump: int
    streams: int
    """Reward streams in use."""
    reserved_flags: bytes
    mint: Pubkey
    """The market token."""
    token_account: Pubkey
    """The pool's associated token account of the market token: all stake, and the rewards paid in it."""
    seq: int
    epoch: int
    epoch_started_at: int
    epoch_ends_at: int
    active: int
    """Base units that earn in this epoch."""
    warming: int
    """Base units that are active from the next epoch."""
    cooling: int
    """Base units on their way out."""
    rewards: tuple[RewardStream, ...]
    reserved: bytes
