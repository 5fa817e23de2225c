"""GET /api/series/capacity: GPUs, their utilisation and PFLOPS by hour or day."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel
from sqlalchemy import Connection

from anchor_client.generated.constants import BPS
from anchor_client.resources.base import about
from anchor_client.rules.catalog import GPU_BY_ID
from indexer.api.deps import Chain, Read
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.places import PlaceFigures, PlaceQuery, PlaceSeries, place_names, sum_places
from indexer.api.series import PeriodFigures, SeriesStep, SeriesWindow
from indexer.models import MarketLevel, MarketPoint

router = StrictRouter(prefix="/api/series/capacity", tags=["market"])


class CapacityFigures(PeriodFigures):
    """GPUs on offer, those of rented machines included, in an hour or a day."""

    gpus: int = about(description="At its end.", examples=(96,))
    rented_gpus: int = about(description="At its end.", examples=(24,))
    gpu_seconds: int = about(description="GPUs x seconds.", examples=(345_600,))
    rented_gpu_seconds: int = about(examples=(86_400,))
    utilisation_bps: int = about(description="Rented GPU-seconds of all, rounded down.", examples=(2_500,))
    pflops: str = about(
        description="8-bit tensor throughput on average, by data sheet, rounded down to three decimals.",
        examples=("62.328",),
    )


class CapacitySeries(PlaceSeries):
    """Of all machines, or those of a model or a region."""

    points: list[CapacityFigures]


class CapacityOverTime(BaseModel):
    """The requested hours or days, oldest first, in each series."""

    step: SeriesStep
    series: list[CapacitySeries]


@router.get("", summary="GPUs, utilisation and PFLOPS over time", responses=refusals(400, 422))
@kept(MarketPoint, MarketLevel)
async def capacity_over_time(
    read: Read, chain: Chain, request: Request, asked: Annotated[PlaceQuery, Query()]
) -> CapacityOverTime:
    """The current hour or day counts as if nothing changed until its end."""
    return await read(_capacity, asked, asked.window(request, chain))


def _capacity(connection: Connection, asked: PlaceQuery, window: SeriesWindow) -> CapacityOverTime:
    places = sum_places(connection, asked, window, _figures)
    series = [
        CapacitySeries(
            **place_names(place),
            points=[_point(at, window.step, *sums) for at, sums in zip(window.starts, points, strict=True)],
        )
        for place, points in places.items()
    ]
    return CapacityOverTime(step=asked.step, series=series)


def _figures(model: int, kept: PlaceFigures) -> tuple[int, ...]:
    tflops = GPU_BY_ID[model].tensor_tflops if model in GPU_BY_ID else 0
    seconds = kept.gpu_seconds
    return kept.gpus, kept.rented_gpus, seconds, kept.rented_gpu_seconds, seconds * tflops


def _point(at: int, step: int, gpus: int, rented: int, seconds: int, rented_seconds: int, work: int) -> CapacityFigures:
    tflops = work // step
    return CapacityFigures.known(
        at=at,
        gpus=gpus,
        rented_gpus=rented,
        gpu_seconds=seconds,
        rented_gpu_seconds=rented_seconds,
        utilisation_bps=rented_seconds * BPS // seconds if seconds else 0,
        pflops=f"{tflops // 1000}.{tflops % 1000:03d}",
    )
