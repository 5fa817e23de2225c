"""When a rental ends and how much of it counts: the twin of the program's clock rules, in unix seconds."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Listing, Rental

RUNNING: Final = 2
"""RentalState::Running; the account holds it as a number."""


def is_running(rental: Rental) -> bool:
    """Whether the host has started the machine."""
    return rental.state == RUNNING


def paid_until(rental: Rental) -> int:
    """When the paid time of a running rental ends."""
    return rental.started_at + rental.duration


def offline_at(rental: Rental, listing: Listing) -> int:
    """The first moment at which the host counts as offline unless it is heard from again."""
    return listing.last_heartbeat_at + rental.offline_after + 1


def silent_before_end(rental: Rental, listing: Listing) -> bool:
    """Whether the host counted as offline when the paid time ended."""
    return offline_at(rental, listing) <= paid_until(rental)


def used_until_silence(rental: Rental, listing: Listing) -> int:
    """Seconds that count when the host is gone: up to its last heartbeat, and never less than has been settled."""
    used = min(max(listing.last_heartbeat_at - rental.started_at, 0), rental.duration)
    return max(used, rental.settled)
