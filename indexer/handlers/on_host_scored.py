from __future__ import annotations

from anchor_client.generated.events import HostScored
from indexer.handlers.step import Step
from indexer.models import Host, HostScore


def on_host_scored(event: HostScored, step: Step) -> None:
    """A host has a new score."""
    score = HostScore(
        host=str(event.host),
        round=event.round,
        score_bps=event.new,
        tracked_seconds=event.tracked_seconds,
        up_seconds=event.up_seconds,
        rating_sum=event.rating_sum,
        rating_weight=event.rating_weight,
        completed=event.completed,
        failed=event.failed,
        at=event.at,
        signature=step.signature,
    )
    step.rows.add(score)
    host = step.rows.change(Host, str(event.host))
    if host is None:
        return step.unknown("host", event.host, event.seq)
    host.seq = step.follow("host", event.host, host.seq, event.seq)
    host.score_bps, host.score_round = event.new, event.round
