"""Topics of the feed, and the events that belong to each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.rules.listing import NOBODY
from anchor_idl.runtime.structs import Event
from indexer.index.handlers import HANDLERS

JOB = "job"
LISTING = "listing"
SPOT = "spot"
REQUEST = "request"
HOST = "host"
PROPOSAL = "proposal"
WALLET = "wallet"
NETWORK = "network"
ALL = "all"
HOST_ACCOUNT = "host account"
"""Kind of a host's account, as events name hosts; users know hosts by their wallet, `authority`."""

STATES: Final[Mapping[str, str]] = {
    JOB: "/api/jobs/{}",
    LISTING: "/api/marketplace/listings/{}",
    SPOT: "/api/marketplace/listings/{}/spot",
    REQUEST: "/api/requests/{}",
    HOST: "/api/hosts/{}",
    PROPOSAL: "/api/governance/proposals/{}",
    NETWORK: "/api/network",
}
"""The path whose answer is the state of a topic."""

FIELDS: Final[Mapping[str, str]] = {
    "rental": JOB,
    "preempted": JOB,
    "challenger": JOB,
    "holder": JOB,
    "listing": LISTING,
    "host": HOST_ACCOUNT,
    "request": REQUEST,
    "proposal": PROPOSAL,
    "renter": WALLET,
    "wallet": WALLET,
    "owner": WALLET,
    "voter": WALLET,
    "proposer": WALLET,
    "authority": WALLET,
    "by": WALLET,
    "closed_by": WALLET,
    "released_by": WALLET,
    "expired_by": WALLET,
    "matched_by": WALLET,
}
"""Kind of the address in an event's field, by the field's name."""

AREA_WORDS: Final[Mapping[str, str]] = {"rental": JOB}
"""Areas that users know by another word."""
AREAS: Final = {
    kind: AREA_WORDS.get(area := handler.__module__.rpartition(".")[2], area) for kind, handler in HANDLERS.items()
}
"""The area of every event."""

WIDE: Final = frozenset({*AREAS.values(), NETWORK, ALL})
"""Topics of no address."""
NARROW: Final = frozenset({JOB, LISTING, SPOT, REQUEST, HOST, PROPOSAL, WALLET})
PATTERN: Final = rf"^({'|'.join(sorted(WIDE))}|({'|'.join(sorted(NARROW))}):[1-9A-HJ-NP-Za-km-z]{{32,44}})$"


def is_topic(text: str) -> bool:
    """True for a topic that clients can subscribe to."""
    if re.fullmatch(PATTERN, text) is None:
        return False
    address = text.partition(":")[2]
    try:
        return not address or bool(Pubkey.from_string(address))
    except ValueError:
        return False


def state_path(topic: str) -> str | None:
    """Path of a topic's state; None for topics that only have events."""
    kind, _, address = topic.partition(":")
    path = STATES.get(kind)
    if path is not None and (address or kind == NETWORK):
        return path.format(address)
    return None


def named_by(event: Event) -> Iterator[tuple[str, str]]:
    """Addresses that an event names, each with its kind."""
    for name, value in event.field_values().items():
        kind = FIELDS.get(name)
        if kind is not None and isinstance(value, Pubkey) and value != NOBODY:
            yield kind, str(value)
