"""Loads the rows that a batch of events names, in a few queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from anchor_client.generated.events import HostHeartbeat
from anchor_client.generated.pdas import find_listing
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event
from indexer.models import (
    Host,
    Listing,
    Market,
    Meter,
    PaymentMint,
    Proposal,
    Record,
    Rental,
    Renter,
    Request,
    Stake,
    Vault,
)
from indexer.store.rows import Rows

MODELS: Mapping[str, type[Record]] = {
    "market": Market,
    "payment_mint": PaymentMint,
    "vault": Vault,
    "host": Host,
    "listing": Listing,
    "rental": Rental,
    "challenger": Rental,
    "meter": Meter,
    "renter": Renter,
    "wallet": Renter,
    "request": Request,
    "stake": Stake,
    "proposal": Proposal,
}
"""Kind of row by the event's field that holds its address."""


def prefetch(rows: Rows, events: Iterable[Event]) -> None:
    """Loads every row that the events name."""
    keys: defaultdict[type[Record], dict[tuple[str], None]] = defaultdict(dict)
    for event in events:
        for name, model in _named(event.LAYOUT):
            keys[model][(str(getattr(event, name)),)] = None
        if isinstance(event, HostHeartbeat):
            for beat in event.listings:
                keys[Listing][(str(find_listing(event.host, beat.id, rows.program)[0]),)] = None
    for model, named in keys.items():
        rows.load(model, named)


@cache
def _named(layout: Fields) -> tuple[tuple[str, type[Record]], ...]:
    return tuple((name, MODELS[name]) for name in layout.layouts if name in MODELS)
