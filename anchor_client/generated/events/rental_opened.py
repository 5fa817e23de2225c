"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.rental_kind import RentalKind


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalOpened(Event):
    """Rates are base units per hour; `subsidy` is what left the pool for escrow."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("e25595d9f6cec836")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        host=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        nonce=layouts.U64,
        kind=layouts.unit_enum(RentalKind),
        shard=layouts.U8,
        duration=layouts.U32,
        deposit=layouts.U64,
        subsidy=layouts.U64,
        rate=layouts.U64,
        subsidy_rate=layouts.U64,
        burn_rate=layouts.U64,
        fee_rate=layouts.U64,
        rate_usd=layouts.U32,
        holdback_bps=layouts.U16,
        provision_timeout=layouts.U16,
        min_charge=layouts.U16,
        promise=layouts.U16,
        offline_after=layouts.U16,
        tip_lamports=layouts.U32,
        order_hash=layouts.byte_array(32),
        at=layouts.I64,
        seq=layouts.U32,
        listing_seq=layouts.U64,
        vault_seq=layouts.U64,
        preempt_at=layouts.I64,
        spec_version=layouts.U32,
        holdback_window=layouts.U32,
        discount_bps=layouts.U16,
        may_finish=layouts.BOOL,
        finish_window=layouts.U32,
        host_booked=layouts.U64,
        host_seq=layouts.U64,
    )

    rental: Pubkey
    renter: Pubkey
    listing: Pubkey
    host: Pubkey
    mint: Pubkey
    nonce: int
    kind: RentalKind
    shard: int
    duration: int
    deposit: int
    subsidy: int
    rate: int
    subsidy_rate: int
    burn_rate: int
    fee_rate: int
    rate_usd: int
    holdback_bps: int
    provision_timeout: int
    min_charge: int
    """Least seconds that the renter pays for once it has started, unless they have reported it as not as listed."""
    promise: int
    """Seconds after which a host that has not started is owed nothing for preparing."""
    offline_after: int
    tip_lamports: int
    order_hash: bytes
    at: int
    seq: int
    listing_seq: int
    vault_seq: int
    preempt_at: int
    """When it may take the machine that another rental holds; zero if it holds it itself."""
    spec_version: int
    """Version of the machine: the listing's `spec_version`."""
    holdback_window: int
    discount_bps: int
    """Discount of a reserved rental from the listing's price on demand."""
    may_finish: bool
    """True if the host may end it once its command has ended; its renter may contest that for `finish_window` seconds."""
    finish_window: int
    host_booked: int
    """Drawn of the day's subsidy budget by the host's machines, with it; both zero without a subsidy."""
    host_seq: int
