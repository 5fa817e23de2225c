"""Writer of changes: the words of a commit, in its own SQL transaction, for readers that keep answers.

On PostgreSQL a NOTIFY wakes readers; SQLite itself shows a connection that another has committed.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, func, insert, select

from indexer.changes.words import EVERYTHING, MANY
from indexer.models import Change

CHANNEL = "gpu_market_changes"
KEPT = 256
"""Number of commits whose changes are kept; a reader that has missed more forgets everything."""
MOST_WORDS = 1_000


def write_changes(connection: Connection, words: Iterable[str]) -> None:
    """Notifies readers of the words once the transaction commits."""
    told = sorted(words)
    if not told:
        return
    if EVERYTHING in told:
        text = EVERYTHING
    elif len(told) > MOST_WORDS:
        text = MANY
    else:
        text = " ".join(told)
    connection.execute(insert(Change.table).values(words=text))
    newest = select(func.max(Change.c.number)).scalar_subquery()
    connection.execute(delete(Change.table).where(Change.c.number <= newest - KEPT))
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_notify(CHANNEL, "")))
