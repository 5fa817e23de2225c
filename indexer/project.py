"""Events into projections."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence

from indexer.decode import Decoded
from indexer.handlers import HANDLERS
from indexer.handlers.step import Step
from indexer.metrics import HANDLED, HANDLER_SECONDS
from indexer.models import SeqGap
from indexer.prefetch import prefetch
from indexer.rows import Rows


def project(events: Sequence[Decoded], rows: Rows) -> dict[str, int]:
    """Applies the events in order; returns the number of gaps found, by kind of entity."""
    prefetch(rows, (decoded.event for decoded in events))
    handled: Counter[str] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    for decoded in events:
        kind = type(decoded.event)
        began = time.perf_counter()
        HANDLERS[kind](decoded.event, Step(rows, decoded.origin, kind.__name__))
        seconds[kind.__name__] += time.perf_counter() - began
        handled[kind.__name__] += 1
    rows.sum_up()
    for name, count in handled.items():
        HANDLED.labels(name).inc(count)
        HANDLER_SECONDS.labels(name).inc(seconds[name])
    return dict(Counter(gap.kind for gap in rows.added(SeqGap)))
