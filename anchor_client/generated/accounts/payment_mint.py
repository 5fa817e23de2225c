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
class PaymentMint(Account):
    """A mint that orders may be paid in, at seeds `"mint", mint`. Rentals only read it."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("ea49666869d3fbee")
    SIZE: ClassVar[int] = 200
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "decimals": 10,
            "oracle_kind": 11,
            "enabled": 12,
            "shards": 13,
            "freezable": 14,
            "reserved_flags": 15,
            "mint": 16,
            "oracle": 48,
            "price": 80,
            "price_at": 88,
            "seq": 96,
            "max_age": 104,
            "subsidy_bps": 108,
            "burn_bps": 110,
            "extra_fee_bps": 112,
            "max_confidence_bps": 114,
            "reserved": 116,
            "reserved_tail": 180,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        decimals=layouts.U8,
        oracle_kind=layouts.U8,
        enabled=layouts.U8,
        shards=layouts.U8,
        freezable=layouts.U8,
        reserved_flags=layouts.byte_array(1),
        mint=layouts.PUBKEY,
        oracle=layouts.PUBKEY,
        price=layouts.U64,
        price_at=layouts.I64,
        seq=layouts.U64,
        max_age=layouts.U32,
        subsidy_bps=layouts.U16,
        burn_bps=layouts.U16,
        extra_fee_bps=layouts.U16,
        max_confidence_bps=layouts.U16,
        reserved=layouts.byte_array(64),
        reserved_tail=layouts.byte_array(20),
    )

    version: int
    bump: int
    decimals: int
    oracle_kind: int
    """See [`OracleKind`]."""
    enabled: int
    shards: int
    """Vaults 0 .. shards - 1 exist or may be added."""
    freezable: int
    """True if the mint had an authority when it was added that may freeze accounts: the vaults, and payees'."""
    reserved_flags: bytes
    mint: Pubkey
    oracle: Pubkey
    """The key that posts prices, or the id of the Pyth feed."""
    price: int
    """Pico-USD per whole token; zero until known."""
    price_at: int
    seq: int
    max_age: int
    subsidy_bps: int
    burn_bps: int
    extra_fee_bps: int
    max_confidence_bps: int
    """Widest confidence interval of a Pyth price, as a share of it."""
    reserved: bytes
    reserved_tail: bytes
