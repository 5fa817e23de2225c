from __future__ import annotations

from anchor_client.generated.events import GpuPointsSet
from indexer.handlers.step import Step
from indexer.models import Catalog, GpuPoints


def on_gpu_points_set(event: GpuPointsSet, step: Step) -> None:
    """A model's points change."""
    points = step.rows.change(GpuPoints, event.model)
    if points is None:
        step.rows.add(GpuPoints(model=event.model, points=event.new, changed_at=event.at))
    else:
        points.points, points.changed_at = event.new, event.at
    catalog = step.rows.change(Catalog, str(event.catalog))
    if catalog is None:
        return step.unknown("catalog", event.catalog, event.seq)
    catalog.seq = step.follow("catalog", event.catalog, catalog.seq, event.seq)
