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
class Request(Account):
    """An order that no listing has taken yet, at seeds `"request", renter, nonce`; its rental takes the same nonce.

    Besides its rent it carries two tips, which ride on in its rental: one for whoever matches it, once that starts,
    and one for whoever ends that. Of a request that nobody matches the first is for whoever ends it.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("7dac96a1a2732747")
    SIZE: ClassVar[int] = 264
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "kind": 10,
            "shard": 11,
            "gpu_count": 12,
            "near_region": 13,
            "gpu_model": 14,
            "renter": 16,
            "mint": 48,
            "order_hash": 80,
            "nonce": 112,
            "deposit": 120,
            "max_usd": 128,
            "regions": 136,
            "created_at": 144,
            "expires_at": 152,
            "duration": 160,
            "tip_lamports": 164,
            "seq": 168,
            "min_score_bps": 172,
            "rental_bump": 174,
            "reserved_tail": 175,
            "reserved": 184,
            "min_vram_gb": 216,
            "min_cuda": 218,
            "min_ram_gb": 220,
            "min_disk_gb": 224,
            "min_net_up_mbps": 228,
            "min_net_down_mbps": 232,
            "reserved_end": 236,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        kind=layouts.U8,
        shard=layouts.U8,
        gpu_count=layouts.U8,
        near_region=layouts.U8,
        gpu_model=layouts.U16,
        renter=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        order_hash=layouts.byte_array(32),
        nonce=layouts.U64,
        deposit=layouts.U64,
        max_usd=layouts.U64,
        regions=layouts.U64,
        created_at=layouts.I64,
        expires_at=layouts.I64,
        duration=layouts.U32,
        tip_lamports=layouts.U32,
        seq=layouts.U32,
        min_score_bps=layouts.U16,
        rental_bump=layouts.U8,
        reserved_tail=layouts.byte_array(9),
        reserved=layouts.byte_array(32),
        min_vram_gb=layouts.U16,
        min_cuda=layouts.U16,
        min_ram_gb=layouts.U32,
        min_disk_gb=layouts.U32,
        min_net_up_mbps=layouts.U32,
        min_net_down_mbps=layouts.U32,
        reserved_end=layouts.byte_array(28),
    )

    version: int
    bump: int
    kind: int
    """See [`RentalKind`]; never spot."""
    shard: int
    """Shard of the vault that holds the deposit."""
    gpu_count: int
    """GPUs of the machine, exactly."""
    near_region: int
    """Of machines that all fit, those near this region come first; [`ANY_REGION`] for none."""
    gpu_model: int
    """Number of the model in the catalog."""
    renter: Pubkey
    mint: Pubkey
    order_hash: bytes
    """SHA-256 of the order document."""
    nonce: int
    deposit: int
    """Deposit of the renter, in base units."""
    max_usd: int
    """The most a machine-hour may cost, in micro-USD, fees not included."""
    regions: int
    """One bit for each region that will do; zero takes any."""
    created_at: int
    expires_at: int
    """From when nobody may match it and anyone may end it."""
    duration: int
    tip_lamports: int
    seq: int
    min_score_bps: int
    """Least reputation of the host, in basis points."""
    rental_bump: int
    """Canonical bump of the rental that a match opens."""
    reserved_tail: bytes
    reserved: bytes
    min_vram_gb: int
    """The least that the machine must have; zero asks for nothing. VRAM is of each GPU, CUDA major × 100 + minor."""
    min_cuda: int
    min_ram_gb: int
    min_disk_gb: int
    min_net_up_mbps: int
    min_net_down_mbps: int
    reserved_end: bytes
