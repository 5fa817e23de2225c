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
class Vault(Account):
    """The ledger of one escrow token account, at seeds `"vault", mint, shard`; sharded so that rentals don't lock one
    account.

    It holds what running rentals are owed (`liabilities`), the fees nobody has swept yet, what the treasury could
    not take of those swept (`treasury_due`) and this shard's part of the subsidy pool. Lifetime totals count modulo
    2^64, so that they never stop the market.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("d308e82b02987577")
    SIZE: ClassVar[int] = 216
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "shard": 10,
            "reserved_shard": 11,
            "subsidy_day": 12,
            "reserved_flags": 14,
            "mint": 16,
            "token_account": 48,
            "seq": 80,
            "open_rentals": 88,
            "liabilities": 96,
            "fees_due": 104,
            "stakers_due": 112,
            "subsidy_pool": 120,
            "total_deposited": 128,
            "total_funded": 136,
            "total_paid": 144,
            "total_burned": 152,
            "total_refunded": 160,
            "total_swept": 168,
            "total_stakers": 176,
            "total_compensated": 184,
            "total_withdrawn": 192,
            "treasury_due": 200,
            "subsidy_drawn": 208,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        shard=layouts.U8,
        reserved_shard=layouts.byte_array(1),
        subsidy_day=layouts.U16,
        reserved_flags=layouts.byte_array(2),
        mint=layouts.PUBKEY,
        token_account=layouts.PUBKEY,
        seq=layouts.U64,
        open_rentals=layouts.U64,
        liabilities=layouts.U64,
        fees_due=layouts.U64,
        stakers_due=layouts.U64,
        subsidy_pool=layouts.U64,
        total_deposited=layouts.U64,
        total_funded=layouts.U64,
        total_paid=layouts.U64,
        total_burned=layouts.U64,
        total_refunded=layouts.U64,
        total_swept=layouts.U64,
        total_stakers=layouts.U64,
        total_compensated=layouts.U64,
        total_withdrawn=layouts.U64,
        treasury_due=layouts.U64,
        subsidy_drawn=layouts.U64,
    )

    version: int
    bump: int
    shard: int
    reserved_shard: bytes
    subsidy_day: int
    """The day of `subsidy_drawn`, by its number."""
    reserved_flags: bytes
    mint: Pubkey
    token_account: Pubkey
    """The vault's associated token account."""
    seq: int
    open_rentals: int
    liabilities: int
    fees_due: int
    stakers_due: int
    subsidy_pool: int
    total_deposited: int
    total_funded: int
    total_paid: int
    total_burned: int
    total_refunded: int
    total_swept: int
    total_stakers: int
    """Paid to the stakers' rewards."""
    total_compensated: int
    """Paid by orders that waited for a machine to its holders."""
    total_withdrawn: int
    """Taken out of the subsidy pool by the market's authority."""
    treasury_due: int
    """Of swept fees, what is the treasury's and could not be paid yet."""
    subsidy_drawn: int
    """Drawn from the subsidy pool into escrow on `subsidy_day`, less what has returned to it that day."""
