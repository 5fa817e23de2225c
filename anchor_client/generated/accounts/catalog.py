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


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Catalog(Account):
    """The catalog of GPU models, at seeds `"catalog"`: it keeps the market tokens that hosts have locked. Each model
    has an account of its own, see [`GpuModel`].
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("af20176a4d47e3c8")
    SIZE: ClassVar[int] = 160
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "reserved_flags": 10,
            "token_account": 16,
            "mint": 48,
            "seq": 80,
            "locked": 88,
            "reserved": 96,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        reserved_flags=layouts.byte_array(6),
        token_account=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        seq=layouts.U64,
        locked=layouts.U64,
        reserved=layouts.byte_array(64),
    )

    version: int
    bump: int
    reserved_flags: bytes
    token_account: Pubkey
    """The catalog's associated token account of the market token."""
    mint: Pubkey
    """The market token."""
    seq: int
    locked: int
    """Base units locked by hosts or on their way out."""
    reserved: bytes
