"""Who holds a machine and what gets it: twin of `programs/gpu_market/src/state/listing.rs`."""

from __future__ import annotations

from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing
from anchor_client.generated.types import Charges
from anchor_client.rules.math import share_ceil

NOBODY: Final = Pubkey.default()
"""Stands in a listing for the rental that is not there."""


def rentals_of(listing: Listing) -> list[Pubkey]:
    """The rentals that hold the machine and wait for it."""
    return [rental for rental in (listing.current, listing.challenger) if rental != NOBODY]


def is_idle(listing: Listing) -> bool:
    """Whether no rental occupies the machine."""
    return listing.current == NOBODY


def has_challenger(listing: Listing) -> bool:
    """Whether a rental waits for the machine."""
    return listing.challenger != NOBODY


def is_free(listing: Listing) -> bool:
    """Whether no rental occupies the machine or waits for it."""
    return is_idle(listing) and not has_challenger(listing)


def is_overdue(listing: Listing, now: int, offline_after: int) -> bool:
    """Whether the host has been silent at `now` for longer than `offline_after` seconds."""
    return now - listing.last_heartbeat_at > offline_after


def charges_of(listing: Listing) -> Charges:
    """What a listing charges beyond its price."""
    return Charges(listing.bandwidth_usd, listing.bandwidth_free_gb, listing.storage_usd)


def has_charges(listing: Listing) -> bool:
    """Whether a listing charges for anything beyond its price."""
    return listing.bandwidth_usd > 0 or listing.storage_usd > 0


def least_bid_usd(rate_usd: int, increment_bps: int) -> int:
    """The least spot bid that beats a rental of `rate_usd`: its price and the market's increment, rounded up."""
    return rate_usd + max(share_ceil(rate_usd, increment_bps), 1)


def next_bid_usd(spot_min_usd: int, to_beat: tuple[bool, int] | None, increment_bps: int) -> int | None:
    """The least spot bid that gets a machine, None when none does; `to_beat` says of the rental in the way whether it
    is spot, and its price."""
    if spot_min_usd == 0:
        return None
    if to_beat is None:
        return spot_min_usd
    is_spot, rate_usd = to_beat
    return max(spot_min_usd, least_bid_usd(rate_usd, increment_bps)) if is_spot else None
