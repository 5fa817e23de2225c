"""Events into projections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from indexer.decode import Decoded
from indexer.handlers import HANDLERS
from indexer.handlers.step import Step
from indexer.models import SeqGap
from indexer.prefetch import prefetch
from indexer.rows import Rows


def project(events: Sequence[Decoded], rows: Rows) -> dict[str, int]:
    """Applies the events in order; returns the number of gaps found, by kind of entity."""
    prefetch(rows, (decoded.event for decoded in events))
    for decoded in events:
        kind = type(decoded.event)
        HANDLERS[kind](decoded.event, Step(rows, decoded.origin, kind.__name__))
    return dict(Counter(gap.kind for gap in rows.added(SeqGap)))
