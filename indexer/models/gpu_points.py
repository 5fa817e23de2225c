from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import Count, Projection


class GpuPoints(Projection, kw_only=True):
    """Points of one GPU of a model, by the model's number."""

    __tablename__ = "gpu_points"

    model: Mapped[Count] = mapped_column(primary_key=True)
    points: Mapped[Count]
    changed_at: Mapped[Count]
