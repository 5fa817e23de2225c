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
class Host(Account):
    """Someone who offers machines, at seeds `"host", authority`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("8dc31c5d2d7fafd8")
    SIZE: ClassVar[int] = 280
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "approved": 10,
            "reserved_flags": 11,
            "authority": 16,
            "stake": 48,
            "seal_key": 80,
            "seq": 112,
            "registered_at": 120,
            "tracked_seconds": 128,
            "up_seconds": 136,
            "next_listing": 144,
            "open_listings": 148,
            "mfp_locked": 152,
            "mfp_unlocking": 160,
            "mfp_unlock_at": 168,
            "rating_sum": 176,
            "rating_weight": 184,
            "paid_usd": 192,
            "scored_at": 200,
            "completed": 208,
            "failed": 212,
            "points": 216,
            "score": 220,
            "reserved_score": 222,
            "score_round": 224,
            "round_waiting": 228,
            "refused": 232,
            "round_end": 236,
            "subsidy_day": 240,
            "reserved": 242,
            "subsidy_budget": 248,
            "subsidy_booked": 256,
            "not_as_listed_usd": 264,
            "reserved_tail": 272,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        approved=layouts.U8,
        reserved_flags=layouts.byte_array(5),
        authority=layouts.PUBKEY,
        stake=layouts.PUBKEY,
        seal_key=layouts.byte_array(32),
        seq=layouts.U64,
        registered_at=layouts.I64,
        tracked_seconds=layouts.U64,
        up_seconds=layouts.U64,
        next_listing=layouts.U32,
        open_listings=layouts.U32,
        mfp_locked=layouts.U64,
        mfp_unlocking=layouts.U64,
        mfp_unlock_at=layouts.I64,
        rating_sum=layouts.U64,
        rating_weight=layouts.U64,
        paid_usd=layouts.U64,
        scored_at=layouts.I64,
        completed=layouts.U32,
        failed=layouts.U32,
        points=layouts.U32,
        score=layouts.U16,
        reserved_score=layouts.byte_array(2),
        score_round=layouts.U32,
        round_waiting=layouts.U32,
        refused=layouts.U32,
        round_end=layouts.U32,
        subsidy_day=layouts.U16,
        reserved=layouts.byte_array(6),
        subsidy_budget=layouts.U64,
        subsidy_booked=layouts.U64,
        not_as_listed_usd=layouts.U64,
        reserved_tail=layouts.byte_array(8),
    )

    version: int
    bump: int
    approved: int
    reserved_flags: bytes
    authority: Pubkey
    stake: Pubkey
    """Address of the authority's stake account, whether there is one or not."""
    seal_key: bytes
    """X25519 public key that orders are sealed to."""
    seq: int
    registered_at: int
    tracked_seconds: int
    """Seconds watched and seconds up, summed over the listings."""
    up_seconds: int
    next_listing: int
    open_listings: int
    mfp_locked: int
    """Market tokens locked for lower extra fees, in base units."""
    mfp_unlocking: int
    """Market tokens on their way out of the lock; they count for nothing."""
    mfp_unlock_at: int
    """When the tokens on their way out may leave."""
    rating_sum: int
    """Ratings × weight and weights (micro-USD of use when rated), of all that has been counted."""
    rating_weight: int
    paid_usd: int
    """Micro-USD that renters themselves have paid for its machines, of all that has been counted."""
    scored_at: int
    """When the score was last set; zero before the first time."""
    completed: int
    """Rentals that ended well, and those that failed by the host's fault, of all that has been counted."""
    failed: int
    points: int
    """GPU points of the open listings."""
    score: int
    """Reputation in basis points."""
    reserved_score: bytes
    score_round: int
    """Number of times that the host has been scored."""
    round_waiting: int
    """Listings that are still to be counted for the next score."""
    refused: int
    """Orders refused before the start, of all that has been counted."""
    round_end: int
    """Listings with numbers below this make up the next score; zero until the first of them is counted for it."""
    subsidy_day: int
    """The day of `subsidy_booked`, by its number."""
    reserved: bytes
    subsidy_budget: int
    """Base units of subsidy that the host's machines may draw in a day."""
    subsidy_booked: int
    """Drawn by them on `subsidy_day`, what has returned of that taken off."""
    not_as_listed_usd: int
    """Micro-USD that reports of machines that were not as listed, and contests of finished rentals, have weighed."""
    reserved_tail: bytes
