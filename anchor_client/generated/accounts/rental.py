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
class Rental(Account):
    """One rental of one listing, at seeds `"rental", renter, nonce`; it lives from opening to the transaction that ends
    it.

    Every amount is a function of the rates below and of seconds, so nothing drifts: settling at t1 and then t2 pays
    what settling at t2 alone would.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("7953e5eb49328fb8")
    SIZE: ClassVar[int] = 264
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "kind": 10,
            "state": 11,
            "rating": 12,
            "shard": 13,
            "offline_after": 14,
            "renter": 16,
            "listing": 48,
            "mint": 80,
            "order_hash": 112,
            "nonce": 144,
            "deposit": 152,
            "rate": 160,
            "subsidy_rate": 168,
            "burn_rate": 176,
            "fee_rate": 184,
            "created_at": 192,
            "started_at": 200,
            "duration": 208,
            "settled": 212,
            "seq": 216,
            "holdback_bps": 220,
            "provision_timeout": 222,
            "tip_lamports": 224,
            "rate_usd": 228,
            "holdback_window": 232,
            "accepted_after": 236,
            "min_charge": 240,
            "promise": 242,
            "renter_fee_bps": 244,
            "discount_bps": 246,
            "finish_window": 248,
            "may_finish": 252,
            "exit_code": 253,
            "compensated": 254,
            "has_discount": 255,
            "subsidy_day": 256,
            "not_as_listed": 258,
            "has_meter": 259,
            "is_matched": 260,
            "took_over": 261,
            "reserved_end": 262,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        kind=layouts.U8,
        state=layouts.U8,
        rating=layouts.U8,
        shard=layouts.U8,
        offline_after=layouts.U16,
        renter=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        order_hash=layouts.byte_array(32),
        nonce=layouts.U64,
        deposit=layouts.U64,
        rate=layouts.U64,
        subsidy_rate=layouts.U64,
        burn_rate=layouts.U64,
        fee_rate=layouts.U64,
        created_at=layouts.I64,
        started_at=layouts.I64,
        duration=layouts.U32,
        settled=layouts.U32,
        seq=layouts.U32,
        holdback_bps=layouts.U16,
        provision_timeout=layouts.U16,
        tip_lamports=layouts.U32,
        rate_usd=layouts.U32,
        holdback_window=layouts.U32,
        accepted_after=layouts.U32,
        min_charge=layouts.U16,
        promise=layouts.U16,
        renter_fee_bps=layouts.U16,
        discount_bps=layouts.U16,
        finish_window=layouts.U32,
        may_finish=layouts.U8,
        exit_code=layouts.U8,
        compensated=layouts.U8,
        has_discount=layouts.U8,
        subsidy_day=layouts.U16,
        not_as_listed=layouts.U8,
        has_meter=layouts.U8,
        is_matched=layouts.U8,
        took_over=layouts.U8,
        reserved_end=layouts.byte_array(2),
    )

    version: int
    bump: int
    kind: int
    """See [`RentalKind`]."""
    state: int
    """See [`RentalState`]."""
    rating: int
    """1 to 5; zero until rated."""
    shard: int
    """Shard of the vault that holds the escrow."""
    offline_after: int
    """Seconds of silence after which the host counts as offline."""
    renter: Pubkey
    listing: Pubkey
    mint: Pubkey
    order_hash: bytes
    """SHA-256 of the order document."""
    nonce: int
    deposit: int
    """Deposit of the renter; once it has ended, what they are still owed."""
    rate: int
    """Base units per hour that the renter pays, fees and burn included."""
    subsidy_rate: int
    """Base units per hour from the subsidy pool."""
    burn_rate: int
    fee_rate: int
    """Base units per hour that the market takes from both sides."""
    created_at: int
    started_at: int
    """Zero until the host starts the machine."""
    duration: int
    """Seconds paid for."""
    settled: int
    """Seconds the host has been paid for."""
    seq: int
    holdback_bps: int
    provision_timeout: int
    tip_lamports: int
    rate_usd: int
    """Micro-USD per machine-hour when opened."""
    holdback_window: int
    """Seconds of use, up to the latest, whose holdback is at risk."""
    accepted_after: int
    """Seconds from `created_at` to the host's acceptance."""
    min_charge: int
    """Least seconds that the renter pays for once the machine has been prepared."""
    promise: int
    """Seconds from `created_at` after which a host that has not started is owed nothing for preparing."""
    renter_fee_bps: int
    """The renter's fee on the price, discount taken off, rounded down."""
    discount_bps: int
    """Discount of a reserved rental from the listing's price on demand."""
    finish_window: int
    """Seconds in which the renter may contest that their command has ended."""
    may_finish: int
    """True if the renter lets the host end the rental once their command has ended."""
    exit_code: int
    """Exit code of the command, once it has ended."""
    compensated: int
    """True if it has paid its least charge to a holder that it displaced."""
    has_discount: int
    """True if the stake of one side has lowered its fee."""
    subsidy_day: int
    """The day whose budget of the host has last paid for the subsidy, by its number; zero without one."""
    not_as_listed: int
    """True if its renter has reported, with weight, that the machine is not as listed."""
    has_meter: int
    """True if its renter has opened a meter, which notes the end: see [`Meter::end`]."""
    is_matched: int
    """True if it was a request whose matcher, noted by its listing, has still to be paid: until its start."""
    took_over: int
    """True if it waited for the machine before it took it: its renter does not leave it unstarted for nothing."""
    reserved_end: bytes
