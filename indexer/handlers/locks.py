"""Market tokens that hosts have locked, in the host and in the catalog."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_catalog
from indexer.handlers.step import Step
from indexer.models import Catalog, Host

CATALOG = str(find_catalog()[0])


def follow_host(step: Step, address: Pubkey, seq: int) -> Host | None:
    """The host to change, at its new `seq`; None when its beginning was missed."""
    host = step.rows.change(Host, str(address))
    if host is None:
        step.unknown("host", address, seq)
        return None
    host.seq = step.follow("host", address, host.seq, seq)
    return host


def follow_catalog(step: Step, seq: int, total: int) -> None:
    """The catalog's lock at its new `seq`."""
    catalog = step.rows.change(Catalog, CATALOG)
    if catalog is None:
        return step.unknown("catalog", CATALOG, seq)
    catalog.seq = step.follow("catalog", CATALOG, catalog.seq, seq)
    catalog.locked = total
