"""Host cranks: updates reputations once per interval, and marks silent idle machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Host, Listing, Market
from anchor_client.generated.pdas import find_market
from anchor_client.market.host.plan import reputation_updates
from anchor_client.rules.host import awaits
from anchor_client.rules.listing import is_idle, mark_due_at
from anchor_client.solana.rpc import Reader
from keeper.tasks.task import DueTask, Subject, Task, find_due


@dataclass(frozen=True, slots=True)
class HostSubject(Subject):
    """A host and its listings that its next score has not counted yet; `interval` seconds lie between scores."""

    host: Host = field(repr=False)
    listings: tuple[Pubkey, ...]
    interval: int


def _due_at(subject: HostSubject) -> int | None:
    """Immediately if it was never scored; never without machines."""
    host = subject.host
    if host.open_listings == 0:
        return None
    return host.scored_at + subject.interval if host.scored_at else host.registered_at


UPDATE_REPUTATION: Final[Task[HostSubject]] = Task(
    "update_reputation",
    _due_at,
    lambda subject, accounts: reputation_updates(subject.address, subject.listings, accounts.program_id),
    apart=True,
)


@dataclass(frozen=True, slots=True)
class SilenceSubject(Subject):
    """An idle listing, and its host's allowed silence in seconds."""

    listing: Listing = field(repr=False)
    offline_after: int


MARK_IDLE: Final[Task[SilenceSubject]] = Task(
    "mark_silent",
    lambda subject: mark_due_at(subject.listing, subject.offline_after),
    lambda subject, accounts: [build.mark_silent(listing=subject.address, program_id=accounts.program_id)],
)


async def find_hosts_due(reader: Reader, now: int) -> list[DueTask[Any]]:
    """The hosts to score and the idle machines to mark, the longest overdue first.

    Raises network errors.
    """
    market = await reader.read(Market, find_market(reader.program_id)[0])
    if market is None:
        return []
    hosts = await reader.read_all(Host)
    listings = await reader.read_all(Listing)
    idle = [
        SilenceSubject(address, listing, market.offline_after)
        for address, listing in listings.items()
        if is_idle(listing)
    ]
    scores = find_due([UPDATE_REPUTATION], host_subjects(hosts, listings, market.reputation_interval), now)
    return [*find_due([MARK_IDLE], idle, now), *scores]


def host_subjects(hosts: Mapping[Pubkey, Host], listings: Mapping[Pubkey, Listing], interval: int) -> list[HostSubject]:
    """Each host with its listings that its next score waits for."""
    waiting: dict[Pubkey, list[Pubkey]] = {}
    for address, listing in listings.items():
        host = hosts.get(listing.host)
        if host is not None and awaits(host, listing):
            waiting.setdefault(listing.host, []).append(address)
    return [
        HostSubject(address, host, tuple(sorted(waiting.get(address, []), key=bytes)), interval)
        for address, host in hosts.items()
    ]
