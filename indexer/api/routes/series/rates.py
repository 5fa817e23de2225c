"""GET /api/series/rates: prices of a GPU-hour by hour or day, in opened orders."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, func, select

from anchor_client.generated.types import RentalKind
from anchor_client.kinds import kind_name, parse_kind
from anchor_client.resources.base import about
from anchor_client.rules.catalog import gpu_slug
from indexer.api.deps import Chain, Read
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.series import PeriodFigures, SeriesStep, SeriesWindow, WindowQuery
from indexer.api.words import GpuText, KindText, RegionText, gpu_number, region_number
from indexer.models import RatePoint

router = StrictRouter(prefix="/api/series/rates", tags=["market"])


class RateQuery(WindowQuery):
    """Hours or days, of each model."""

    kind: KindText = Field(kind_name(RentalKind.ON_DEMAND), description="Only orders of this kind.")
    gpu: GpuText | None = Field(None, description="Only this model.", examples=["nvidia-h100-pcie-80gb"])
    region: RegionText | None = Field(None, description="Only this region.", examples=["eu-west"])


class RateFigures(PeriodFigures):
    """Rates of the orders of an hour or a day, in micro-USD per GPU-hour, without fees, each rounded down."""

    rentals: int = about(description="Number of opened orders.", examples=(12,))
    min_usd: int | None = about(description="Null without any.", examples=(2_500_000,))
    median_usd: int | None = about(description="Median; of an even number the lower one.", examples=(2_760_000,))
    max_usd: int | None = about(examples=(3_100_000,))


class RateSeries(BaseModel):
    """Of a model."""

    gpu: str = Field(examples=["nvidia-h100-pcie-80gb"])
    points: list[RateFigures]


class RatesOverTime(BaseModel):
    """The requested hours or days, oldest first, of each model ordered in them."""

    step: SeriesStep
    series: list[RateSeries]


@router.get("", summary="Rates per GPU-hour over time", responses=refusals(400, 422))
@kept(RatePoint)
async def rates_over_time(
    read: Read, chain: Chain, request: Request, asked: Annotated[RateQuery, Query()]
) -> RatesOverTime:
    """Minimum, median and maximum rate of orders, each counted once."""
    return await read(_rates, asked, asked.window(request, chain))


def _rates(connection: Connection, asked: RateQuery, window: SeriesWindow) -> RatesOverTime:
    key = (RatePoint.c.gpu_model, RatePoint.c.start, RatePoint.c.rate_usd)
    found = select(*key, func.sum(RatePoint.c.rentals)).where(
        window.has(RatePoint.c.step, RatePoint.c.start), RatePoint.c.kind == kind_name(parse_kind(asked.kind))
    )
    wanted = (RatePoint.c.gpu_model, gpu_number(asked.gpu)), (RatePoint.c.region, region_number(asked.region))
    found = found.where(*(column == value for column, value in wanted if value is not None))
    series = []
    for model, rows in groupby(connection.execute(found.group_by(*key).order_by(*key)), lambda row: row.gpu_model):
        rates = {
            start: [(rate, int(rentals)) for _, _, rate, rentals in of_start]
            for start, of_start in groupby(rows, lambda row: row.start)
        }
        points = [_point(at, rates.get(at, [])) for at in window.starts]
        series.append(RateSeries(gpu=gpu_slug(model), points=points))
    return RatesOverTime(step=asked.step, series=series)


def _point(at: int, rates: Sequence[tuple[int, int]]) -> RateFigures:
    """Of rates in order, and how many rentals were opened at each."""
    rentals = sum(times for _, times in rates)
    if not rentals:
        return RateFigures.known(at=at, rentals=0, min_usd=None, median_usd=None, max_usd=None)
    counted = accumulate(times for _, times in rates)
    median = next(rate for (rate, _), up_to in zip(rates, counted, strict=True) if 2 * up_to >= rentals)
    return RateFigures.known(at=at, rentals=rentals, min_usd=rates[0][0], median_usd=median, max_usd=rates[-1][0])
