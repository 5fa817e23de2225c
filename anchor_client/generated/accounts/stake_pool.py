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
class StakePool(Account):
    """All stake of the market, at seeds `"pool"`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("7922ce154f7fff1c")
    SIZE: ClassVar[int] = 256
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "reserved_flags": 10,
            "mint": 16,
            "token_account": 48,
            "seq": 80,
            "epoch": 88,
            "epoch_started_at": 96,
            "active": 104,
            "warming": 112,
            "cooling": 120,
            "reserved": 128,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        reserved_flags=layouts.byte_array(6),
        mint=layouts.PUBKEY,
        token_account=layouts.PUBKEY,
        seq=layouts.U64,
        epoch=layouts.U64,
        epoch_started_at=layouts.I64,
        active=layouts.U64,
        warming=layouts.U64,
        cooling=layouts.U64,
        reserved=layouts.byte_array(128),
    )

    version: int
    bump: int
    reserved_flags: bytes
    mint: Pubkey
    token_account: Pubkey
    seq: int
    epoch: int
    epoch_started_at: int
    active: int
    warming: int
    cooling: int
    reserved: bytes
