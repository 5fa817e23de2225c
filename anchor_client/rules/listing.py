"""A listing's rentals, silence, charges and lowest bids: twin of `programs/gpu_market/src/state/listing.rs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from solders.pubkey import Pubkey

from anchor_client.generated.types import Charges, Silence
from anchor_client.rules.math import share_ceil

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Listing

CUDA_MAJOR: Final = 100
"""A CUDA version is this factor times the major version, plus the minor one."""
NOBODY: Final = Pubkey.default()
"""Stands in a listing for the rental that is not there."""


class Heard(Protocol):
    """When a machine was last heard from, and its host's time to answer a mark: a listing's or a row's."""

    @property
    def last_heartbeat_at(self) -> int: ...
    @property
    def silence(self) -> int: ...
    @property
    def marked_at(self) -> int: ...
    @property
    def answer_window(self) -> int: ...
    @property
    def answer_slot(self) -> int: ...


def rentals_of(listing: Listing) -> list[Pubkey]:
    """The rentals that hold the machine and wait for it."""
    return [rental for rental in (listing.current, listing.challenger) if rental != NOBODY]


def is_idle(listing: Listing) -> bool:
    """True where no rental occupies the machine."""
    return listing.current == NOBODY


def has_challenger(listing: Listing) -> bool:
    """True where a rental waits for the machine."""
    return listing.challenger != NOBODY


def is_free(listing: Listing) -> bool:
    """True where no rental occupies the machine or waits for it."""
    return is_idle(listing) and not has_challenger(listing)


def takes_order(listing: Listing) -> bool:
    """True where the machine is free, and its host was paid for the last rental or has claimed it since."""
    return is_free(listing) and listing.owed == 0


def is_heard(listing: Listing, now: int, offline_after: int) -> bool:
    """True where the host is online, so that orders can come: it is not marked silent, and at `now` its last heartbeat
    is at most `offline_after` seconds old."""
    return listing.silence == Silence.HEARD and now < overdue_at(listing, offline_after)


def overdue_at(listing: Listing, offline_after: int) -> int:
    """The first moment at which the host can be marked unless it is heard from again."""
    return listing.last_heartbeat_at + offline_after + 1


def answer_by(listing: Heard) -> int:
    """When a marked host's time to answer ends, if enough slots have passed."""
    return listing.marked_at + listing.answer_window


def lapses_at(listing: Heard) -> int:
    """Time at which an unused mark becomes void."""
    return answer_by(listing) + listing.answer_window


def is_answer_pending(listing: Heard, now: int, slot: int) -> bool:
    """True where a marked host may still answer."""
    is_open = now < answer_by(listing) or slot < listing.answer_slot
    return listing.silence == Silence.MARKED and is_open and now < lapses_at(listing)


def is_silent(listing: Heard, now: int, slot: int) -> bool:
    """True where the host has been silent since its last heartbeat: that is proven, or a mark went unanswered in time
    and has not lapsed."""
    unanswered = listing.silence == Silence.MARKED and not is_answer_pending(listing, now, slot)
    return (unanswered and now < lapses_at(listing)) or listing.silence == Silence.PROVEN


def mark_due_at(listing: Listing, offline_after: int) -> int | None:
    """When `mark_silent` may next be called, to mark the host or to prove its silence; None for never."""
    if listing.silence == Silence.PROVEN or listing.last_heartbeat_at == 0:
        return None
    overdue = overdue_at(listing, offline_after)
    if listing.silence == Silence.HEARD:
        return overdue
    return max(overdue, answer_by(listing))


def charges_of(listing: Listing) -> Charges:
    """A listing's charges on top of its price."""
    return Charges(listing.bandwidth_usd, listing.bandwidth_free_gb, listing.storage_usd)


def has_charges(listing: Listing) -> bool:
    """True where a listing charges for anything on top of its price."""
    return listing.bandwidth_usd > 0 or listing.storage_usd > 0


def least_bid_usd(rate_usd: int, increment_bps: int) -> int:
    """The least spot bid that beats a rental of `rate_usd`: its price and the market's increment, rounded up."""
    return rate_usd + max(share_ceil(rate_usd, increment_bps), 1)


def next_bid_usd(
    on_demand_usd: int, spot_min_usd: int, to_beat: tuple[bool, int] | None, increment_bps: int
) -> int | None:
    """The least spot bid that gets a machine, None when none does: a bid is at most the price on demand.

    `to_beat` says of the rental in the way whether it is spot, and its price.
    """
    if spot_min_usd == 0:
        return None
    least = spot_min_usd
    if to_beat is not None:
        is_spot, rate_usd = to_beat
        if not is_spot:
            return None
        least = max(spot_min_usd, least_bid_usd(rate_usd, increment_bps))
    return least if least <= on_demand_usd else None
