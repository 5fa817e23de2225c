"""Events into projections."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence

from anchor_idl.runtime.structs import Event
from indexer.index.handlers import HANDLERS
from indexer.index.handlers.series import keep_series
from indexer.index.handlers.step import Step
from indexer.metrics import HANDLED, HANDLER_SECONDS
from indexer.models import SeqGap
from indexer.store.events import Decoded
from indexer.store.prefetch import prefetch
from indexer.store.rows import Rows


def project(events: Sequence[Decoded], rows: Rows) -> dict[str, int]:
    """Applies the events in order; returns the number of gaps found, by kind of entity."""
    prefetch(rows, (decoded.event for decoded in events))
    seconds: defaultdict[type[Event], list[float]] = defaultdict(list)
    for origin, event, _ in events:
        kind = event.__class__
        began = time.perf_counter()
        HANDLERS[kind](event, Step(rows, origin, kind.__name__))
        seconds[kind].append(time.perf_counter() - began)
    keep_series(rows)
    rows.sum_up()
    for kind, spent in seconds.items():
        HANDLED.labels(kind.__name__).inc(len(spent))
        HANDLER_SECONDS.labels(kind.__name__).inc(sum(spent))
    return dict(Counter(gap.kind for gap in rows.added(SeqGap)))
