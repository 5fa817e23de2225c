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
class Meter(Account):
    """Limits of a rental's optional charges, at seeds `"meter", rental`. It outlives the rental: the host has a last
    report and the renter the time to dispute it.

    The escrowed cap is divided in full: `cap = paid + refunded + kept`. What the host reports is pending for
    `charge_window` seconds, then accepted; a dispute freezes it, and it is dropped unless the renter accepts it
    after all.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("0573e3f03fa6ceb6")
    SIZE: ClassVar[int] = 336
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "shard": 10,
            "reserved_flags": 11,
            "rental": 16,
            "renter": 48,
            "listing": 80,
            "authority": 112,
            "mint": 144,
            "seq": 176,
            "cap": 184,
            "accepted": 192,
            "paid": 200,
            "pending": 208,
            "disputed": 216,
            "bandwidth_mb": 224,
            "storage_gb_hours": 232,
            "bandwidth_rate": 240,
            "storage_rate": 248,
            "opened_at": 256,
            "reported_at": 264,
            "disputed_at": 272,
            "ended_at": 280,
            "bandwidth_free_gb": 288,
            "storage_gb": 292,
            "charge_window": 296,
            "reserved_tail": 300,
            "paid_until": 304,
            "accepted_at": 312,
            "stored_from": 320,
            "reserved": 328,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        shard=layouts.U8,
        reserved_flags=layouts.byte_array(5),
        rental=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        authority=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        seq=layouts.U64,
        cap=layouts.U64,
        accepted=layouts.U64,
        paid=layouts.U64,
        pending=layouts.U64,
        disputed=layouts.U64,
        bandwidth_mb=layouts.U64,
        storage_gb_hours=layouts.U64,
        bandwidth_rate=layouts.U64,
        storage_rate=layouts.U64,
        opened_at=layouts.I64,
        reported_at=layouts.I64,
        disputed_at=layouts.I64,
        ended_at=layouts.I64,
        bandwidth_free_gb=layouts.U32,
        storage_gb=layouts.U32,
        charge_window=layouts.U32,
        reserved_tail=layouts.byte_array(4),
        paid_until=layouts.I64,
        accepted_at=layouts.I64,
        stored_from=layouts.I64,
        reserved=layouts.byte_array(8),
    )

    version: int
    bump: int
    shard: int
    """Shard of the vault that holds the escrow."""
    reserved_flags: bytes
    rental: Pubkey
    renter: Pubkey
    listing: Pubkey
    authority: Pubkey
    """The host's wallet: it is paid, and reports once the listing is closed."""
    mint: Pubkey
    seq: int
    cap: int
    """Deposit of the renter: the most that is ever charged."""
    accepted: int
    """Charged for good, whether paid or not."""
    paid: int
    """Of it, paid to the host."""
    pending: int
    """Reported, and open to dispute."""
    disputed: int
    """Disputed, and open to acceptance."""
    bandwidth_mb: int
    """MB of outbound traffic since the meter opened, as last reported."""
    storage_gb_hours: int
    """GB × hours of storage since the meter opened and the rental started, as last reported."""
    bandwidth_rate: int
    """Base units per TB of traffic above the allowance."""
    storage_rate: int
    """Base units per 1000 GB-hours of storage."""
    opened_at: int
    reported_at: int
    """When the pending amount was last added to."""
    disputed_at: int
    """When the disputed amount was last added to."""
    ended_at: int
    """When the rental ended; zero before."""
    bandwidth_free_gb: int
    storage_gb: int
    """GB of storage that the renter asked for."""
    charge_window: int
    """Seconds to dispute a report, to accept after a dispute, and to report after the end."""
    reserved_tail: bytes
    paid_until: int
    """Until when the rental was paid for, as its opening or its last report saw it running, and since its end until
    when it was used; zero if none saw it running.
    """
    accepted_at: int
    """When the accepted amount was last added to."""
    stored_from: int
    """From when storage counts: the meter's opening or the rental's start, whichever came later; zero before the start."""
    reserved: bytes
