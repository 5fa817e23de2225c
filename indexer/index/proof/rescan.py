"""Transactions that a node lists and the index lacks."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Engine

from indexer.index.sources.history import Listed
from indexer.store.queries import keys_of


def unknown_of(listed: Sequence[Listed], engine: Engine) -> list[Listed]:
    """The successful ones without an event in the database; most of them never had one."""
    candidates = [entry for entry in listed if not entry.failed]
    with engine.connect() as connection:
        known = {
            signature for signature, *_ in keys_of(connection, {entry.signature: entry.slot for entry in candidates})
        }
    return [entry for entry in candidates if entry.signature not in known]
