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
class Market(Account):
    """The market's one configuration account, at seeds `"market"`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("dbbed53700e3c69a")
    SIZE: ClassVar[int] = 448
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "paused": 10,
            "reserved_flags": 11,
            "authority": 16,
            "guardian": 48,
            "market_mint": 80,
            "treasury": 112,
            "seq": 144,
            "order_min_usd": 152,
            "tip_lamports": 160,
            "min_duration": 164,
            "max_duration": 168,
            "provision_timeout": 172,
            "offline_after": 174,
            "on_demand_fee_bps": 176,
            "reserved_fee_bps": 178,
            "spot_fee_bps": 180,
            "reserved_discount_bps": 182,
            "holdback_bps": 184,
            "fee_burn_bps": 186,
            "fee_stakers_bps": 188,
            "reserved": 190,
            "reserved_tail": 446,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        paused=layouts.U8,
        reserved_flags=layouts.byte_array(5),
        authority=layouts.PUBKEY,
        guardian=layouts.PUBKEY,
        market_mint=layouts.PUBKEY,
        treasury=layouts.PUBKEY,
        seq=layouts.U64,
        order_min_usd=layouts.U64,
        tip_lamports=layouts.U32,
        min_duration=layouts.U32,
        max_duration=layouts.U32,
        provision_timeout=layouts.U16,
        offline_after=layouts.U16,
        on_demand_fee_bps=layouts.U16,
        reserved_fee_bps=layouts.U16,
        spot_fee_bps=layouts.U16,
        reserved_discount_bps=layouts.U16,
        holdback_bps=layouts.U16,
        fee_burn_bps=layouts.U16,
        fee_stakers_bps=layouts.U16,
        reserved=layouts.byte_array(256),
        reserved_tail=layouts.byte_array(2),
    )

    version: int
    bump: int
    paused: int
    """One bit an area, see [`PauseArea`]."""
    reserved_flags: bytes
    authority: Pubkey
    """May change parameters, mints and hosts."""
    guardian: Pubkey
    """May pause and nothing else."""
    market_mint: Pubkey
    treasury: Pubkey
    """Wallet whose token accounts take the treasury's share of fees."""
    seq: int
    order_min_usd: int
    tip_lamports: int
    min_duration: int
    max_duration: int
    provision_timeout: int
    offline_after: int
    on_demand_fee_bps: int
    reserved_fee_bps: int
    spot_fee_bps: int
    reserved_discount_bps: int
    holdback_bps: int
    fee_burn_bps: int
    """Share of fees in the market token that is burned."""
    fee_stakers_bps: int
    """Share of fees that waits for the stakers' reward stream."""
    reserved: bytes
    reserved_tail: bytes
