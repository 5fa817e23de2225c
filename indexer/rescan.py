"""What a node lists and the index does not have."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Engine, select

from indexer.models import DeadLetter, RawEvent
from indexer.sources.rpc import Listed

QUERY_SIGNATURES = 500


def unknown_of(listed: Sequence[Listed], engine: Engine) -> list[Listed]:
    """The successful ones without an event in the database; most of them never had one."""
    candidates = [entry for entry in listed if not entry.failed]
    known: set[str] = set()
    with engine.connect() as connection:
        for start in range(0, len(candidates), QUERY_SIGNATURES):
            part = [entry.signature for entry in candidates[start : start + QUERY_SIGNATURES]]
            for record in (RawEvent, DeadLetter):
                known.update(connection.scalars(select(record.c.signature).where(record.c.signature.in_(part))))
    return [entry for entry in candidates if entry.signature not in known]
