"""Time series of models and regions, summed from what is kept of each model in each region."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from anchor_client.rules.catalog import gpu_slug, region_slug
from anchor_client.service.optional import optional
from indexer.api.series import SeriesWindow, WindowQuery
from indexer.api.words import GpuText, RegionText, gpu_number, region_number
from indexer.models import MarketLevel, MarketPoint

Place: TypeAlias = tuple[int | None, int | None]
"""A model and a region; None for all."""
Sums: TypeAlias = list[tuple[int, ...]]
"""Figures of each hour or day, in order."""


class SeriesBy(StrEnum):
    """The grouping of series: one for each model, or for each region."""

    MODEL = "model"
    REGION = "region"


class PlaceQuery(WindowQuery):
    """Hours or days, of all machines or those of a model or a region."""

    by: SeriesBy | None = Field(None, description="One series for each model or region; by default one in total.")
    gpu: GpuText | None = Field(None, description="Only this model.", examples=["nvidia-h100-pcie-80gb"])
    region: RegionText | None = Field(None, description="Only this region.", examples=["eu-west"])


class PlaceSeries(BaseModel):
    """The model and region of a series."""

    gpu: str | None = Field(description="The model; null for all of them.", examples=["nvidia-h100-pcie-80gb"])
    region: str | None = Field(description="Null for all of them.", examples=["eu-west"])


class PlaceFigures(NamedTuple):
    """Stored figures of a model in a region for an hour or a day."""

    gpus: int = 0
    rented_gpus: int = 0
    running: int = 0
    gpu_seconds: int = 0
    rented_gpu_seconds: int = 0
    opened: int = 0
    started: int = 0
    ended: int = 0

    def quiet(self, seconds: int) -> PlaceFigures:
        """The next one, in which nothing happens."""
        return PlaceFigures(self.gpus, self.rented_gpus, self.running, self.gpus * seconds, self.rented_gpus * seconds)


def _of_place(columns: ReadOnlyColumnCollection[str, Any]) -> tuple[ColumnElement[bool], ...]:
    return (
        columns.step == bindparam("step"),
        columns.gpu_model == bindparam("model"),
        columns.region == bindparam("region"),
    )


BEFORE = MarketPoint.table.alias("before")
LAST_BEFORE = select(func.max(BEFORE.c.start)).where(*_of_place(BEFORE.c), BEFORE.c.start < bindparam("first"))
ROWS = select(MarketPoint.c.start, *(MarketPoint.c[name] for name in PlaceFigures._fields)).where(
    *_of_place(MarketPoint.c),
    MarketPoint.c.start >= func.coalesce(LAST_BEFORE.scalar_subquery(), bindparam("first")),
    MarketPoint.c.start <= bindparam("last"),
)
"""The rows of a model in a region in a window, and the last one before it. One statement for all models and regions has
SQLite read every row there is."""


def place_names(place: Place) -> dict[str, str | None]:
    """The fields of a PlaceSeries."""
    model, region = place
    return {
        "gpu": optional(gpu_slug, model),
        "region": optional(region_slug, region),
    }


def sum_places(
    connection: Connection,
    asked: PlaceQuery,
    window: SeriesWindow,
    figures: Callable[[int, PlaceFigures], tuple[int, ...]],
) -> dict[Place, Sums]:
    """By place, the sums of what `figures` makes of a model and what is kept. UnknownGpu, UnknownRegion."""
    wanted = _wanted(asked)
    parts: defaultdict[Place, list[Sums]] = defaultdict(list)
    for model, region, kept in _kept(connection, wanted, window):
        place = wanted
        if asked.by is SeriesBy.MODEL:
            place = (model, wanted[1])
        elif asked.by is SeriesBy.REGION:
            place = (wanted[0], region)
        parts[place].append([figures(model, each) for each in kept])
    if asked.by is None and not parts:
        parts[wanted].append([figures(0, PlaceFigures())] * len(window.starts))
    return {
        place: [tuple(map(sum, zip(*each, strict=True))) for each in zip(*sums, strict=True)]
        for place, sums in sorted(parts.items())
    }


def _wanted(asked: PlaceQuery) -> Place:
    return gpu_number(asked.gpu), region_number(asked.region)


def _kept(connection: Connection, wanted: Place, window: SeriesWindow) -> Iterator[tuple[int, int, list[PlaceFigures]]]:
    """Each model and region that the market has had by the window's end, with what is kept of each hour or day."""
    asked = {"step": window.step, "first": window.first, "last": window.last}
    for model, region in connection.execute(_places(wanted)).all():
        rows = connection.execute(ROWS, {**asked, "model": model, "region": region})
        known = {start: PlaceFigures(*values) for start, *values in rows}
        if not known:
            continue
        oldest = min(known)
        last = known[oldest] if oldest < window.first else PlaceFigures()
        kept = []
        for start in window.starts:
            last = known.get(start) or last.quiet(window.step)
            kept.append(last)
        yield model, region, kept


def _places(wanted: Place) -> Select[int, int]:
    columns = MarketLevel.c.gpu_model, MarketLevel.c.region
    asked = [column == value for column, value in zip(columns, wanted, strict=True) if value is not None]
    return select(*columns).where(*asked).order_by(*columns)
