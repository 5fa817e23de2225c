"""Pauses, and what a proposal takes: twin of `programs/gpu_market/src/state/market.rs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anchor_client.generated.constants import MAX_PROPOSAL_STAKE_BPS
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.rules.math import share_ceil

if TYPE_CHECKING:
    from anchor_client.generated.accounts import Market


def is_paused(market: Market, area: PauseArea, now: int) -> bool:
    """True where an area is paused at a time, unix seconds."""
    return bool(market.paused & 1 << area) or now < market.guardian_paused_until[area]


def paused_until(market: Market, area: PauseArea, now: int) -> int | None:
    """Expiry of the guardian's pause of an area; None for the authority's pause, or without one."""
    until = market.guardian_paused_until[area]
    return until if not market.paused & 1 << area and now < until else None


def stake_to_propose(market: Market, eligible: int) -> int:
    """Active stake, in base units, that may make a proposal where `eligible` may vote."""
    return max(1, min(market.proposal_stake, share_ceil(eligible, MAX_PROPOSAL_STAKE_BPS)))
