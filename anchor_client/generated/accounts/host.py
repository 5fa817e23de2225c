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
class Host(Account):
    """Someone who offers machines, at seeds `"host", authority`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("8dc31c5d2d7fafd8")
    SIZE: ClassVar[int] = 248
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "approved": 10,
            "reserved_flags": 11,
            "authority": 16,
            "seal_key": 48,
            "seq": 80,
            "registered_at": 88,
            "tracked_seconds": 96,
            "up_seconds": 104,
            "next_listing": 112,
            "open_listings": 116,
            "reserved": 120,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        approved=layouts.U8,
        reserved_flags=layouts.byte_array(5),
        authority=layouts.PUBKEY,
        seal_key=layouts.byte_array(32),
        seq=layouts.U64,
        registered_at=layouts.I64,
        tracked_seconds=layouts.U64,
        up_seconds=layouts.U64,
        next_listing=layouts.U32,
        open_listings=layouts.U32,
        reserved=layouts.byte_array(128),
    )

    version: int
    bump: int
    approved: int
    reserved_flags: bytes
    authority: Pubkey
    seal_key: bytes
    """X25519 public key that orders are sealed to."""
    seq: int
    registered_at: int
    tracked_seconds: int
    """Seconds watched and seconds up, summed over the listings."""
    up_seconds: int
    next_listing: int
    open_listings: int
    reserved: bytes
