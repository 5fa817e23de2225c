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
    SIZE: ClassVar[int] = 248
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "approved": 10,
            "stake_bump": 11,
            "reserved_flags": 12,
            "authority": 16,
            "seal_key": 48,
            "seq": 80,
            "registered_at": 88,
            "tracked_seconds": 96,
            "up_seconds": 104,
            "next_listing": 112,
            "open_listings": 116,
            "mfp_locked": 120,
            "mfp_unlocking": 128,
            "mfp_unlock_at": 136,
            "rating_sum": 144,
            "rating_weight": 152,
            "paid_usd": 160,
            "scored_at": 168,
            "completed": 176,
            "failed": 180,
            "points": 184,
            "score": 188,
            "reserved_score": 190,
            "score_round": 192,
            "round_waiting": 196,
            "refused": 200,
            "round_end": 204,
            "subsidy_day": 208,
            "reserved": 210,
            "subsidy_budget": 216,
            "subsidy_booked": 224,
            "not_as_listed_usd": 232,
            "reserved_tail": 240,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        approved=layouts.U8,
        stake_bump=layouts.U8,
        reserved_flags=layouts.byte_array(4),
        authority=layouts.PUBKEY,
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
    stake_bump: int
    """Canonical bump of the wallet's stake account, whether there is one or not."""
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
