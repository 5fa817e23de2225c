"""Scores hosts: anyone may once an interval, nobody is paid for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Host, Listing

ROUNDS: Final = 2**32


@dataclass(frozen=True, slots=True)
class DueScore:
    """A host to be scored and its listings that have not been counted for it; `due_at` since when, unix seconds."""

    host: Pubkey
    listings: tuple[Pubkey, ...]
    due_at: int


def find_due(
    hosts: Mapping[Pubkey, Host], listings: Mapping[Pubkey, Listing], interval: int, now: int
) -> list[DueScore]:
    """The hosts with machines whose score may be set at `now`, the longest overdue first."""
    waiting: dict[Pubkey, list[Pubkey]] = {}
    for address, listing in listings.items():
        host = hosts.get(listing.host)
        if host is not None and listing.score_round != (host.score_round + 1) % ROUNDS:
            waiting.setdefault(listing.host, []).append(address)
    due = [
        DueScore(address, tuple(sorted(waiting.get(address, []), key=bytes)), due_at(host, interval))
        for address, host in hosts.items()
        if host.open_listings > 0 and due_at(host, interval) <= now
    ]
    return sorted(due, key=lambda score: (score.due_at, bytes(score.host)))


def due_at(host: Host, interval: int) -> int:
    """When a host may be scored: at once if it never was."""
    return host.scored_at + interval if host.scored_at else host.registered_at
