"""GET /api/series/asks: prices of a GPU-hour by hour or day, as hosts ask them on demand."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any, Final, NamedTuple

from fastapi import Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Connection, Select, func, literal, or_, select, union_all

from anchor_client.resources.base import about
from anchor_client.rules.catalog import gpu_slug
from indexer.api.deps import Chain, Read
from indexer.api.errors import ApiError, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.series import PeriodFigures, SeriesStep, SeriesWindow, WindowQuery
from indexer.api.words import AddressText, GpuText, RegionText, gpu_number, region_number
from indexer.models import Listing, ListingPrice

router = StrictRouter(prefix="/api/series/asks", tags=["market"])

MOST_PRICES: Final = 50_000
"""Prices that one answer is made of, of each machine the last of each hour or day."""


class AskQuery(WindowQuery):
    """Hours or days, of each model."""

    gpu: GpuText | None = Field(None, description="Only this model.", examples=["nvidia-h100-pcie-80gb"])
    region: RegionText | None = Field(None, description="Only this region.", examples=["eu-west"])
    listing: AddressText | None = Field(None, description="Only this machine, also if it is hidden.")


class AskFigures(PeriodFigures):
    """Prices at the end of an hour or a day, in micro-USD per GPU-hour, without fees, each rounded down."""

    machines: int = about(description="Number of machines on offer or rented.", examples=(12,))
    min_usd: int | None = about(description="Null without any.", examples=(2_500_000,))
    median_usd: int | None = about(description="Median; of an even number the lower one.", examples=(2_760_000,))
    max_usd: int | None = about(examples=(3_100_000,))
    min_spot_usd: int | None = about(
        description="Lowest minimum bid; null where no machine takes any.", examples=(1_650_000,)
    )


class AskSeries(BaseModel):
    """Of a model."""

    gpu: str = Field(examples=["nvidia-h100-pcie-80gb"])
    points: list[AskFigures]


class AsksOverTime(BaseModel):
    """The requested hours or days, oldest first, of each model listed in them."""

    step: SeriesStep
    series: list[AskSeries]


class _Asked(NamedTuple):
    """The prices of a machine from a period on, or None once it is closed; `since` is when it got them."""

    model: int
    start: int
    since: int
    listing: str
    prices: tuple[int, int] | None


@router.get("", summary="Asking prices per GPU-hour over time", responses=refusals(400, 422))
@kept(ListingPrice, Listing)
async def asks_over_time(
    read: Read, chain: Chain, request: Request, asked: Annotated[AskQuery, Query()]
) -> AsksOverTime:
    """Minimum, median and maximum price of the machines that exist at the end of each hour or day. Machines that are
    hidden now are left out.
    """
    return await read(_asks, asked, asked.window(request, chain))


def _asks(connection: Connection, asked: AskQuery, window: SeriesWindow) -> AsksOverTime:
    rows = connection.execute(_prices(asked, window).limit(MOST_PRICES + 1)).all()
    if len(rows) > MOST_PRICES:
        detail = f"The answer would be made of more than {MOST_PRICES} prices."
        raise ApiError(400, "too_many_prices", detail, "Ask by day, or for one model or region.", parameter="gpu")
    changes: list[_Asked] = []
    for model, listing, start, gpus, on_demand, spot, closed_at in rows:
        changes.append(_Asked(model, max(start, window.first), start, listing, (on_demand // gpus, spot // gpus)))
        if closed_at:
            end = max(closed_at - closed_at % window.step, window.first)
            changes.append(_Asked(model, end, closed_at, listing, None))
    changes.sort(key=lambda each: (each.model, each.start, each.prices is None, each.since))
    series = [
        AskSeries(gpu=gpu_slug(model), points=_points(list(of_model), window))
        for model, of_model in groupby(changes, lambda each: each.model)
    ]
    return AsksOverTime(step=asked.step, series=series)


def _prices(asked: AskQuery, window: SeriesWindow) -> Select[Any]:
    """The last price of each machine in each period, and its last one before the first."""
    wanted = {Listing.c.gpu_model: gpu_number(asked.gpu), Listing.c.region: region_number(asked.region)}
    conditions: list[ColumnElement[bool]] = [column == value for column, value in wanted.items() if value is not None]
    conditions.append(Listing.c.visible if asked.listing is None else Listing.c.address == asked.listing)
    conditions.append(or_(Listing.c.closed_at == 0, Listing.c.closed_at >= window.first))
    start = ListingPrice.c.ts - ListingPrice.c.ts % window.step
    within = ListingPrice.c.ts.between(window.first, window.last + window.step - 1)
    last = union_all(
        _last_of(start, within, conditions), _last_of(literal(0), ListingPrice.c.ts < window.first, conditions)
    ).subquery()
    return select(
        *(last.c[name] for name in ("gpu_model", "listing", "start")),
        *(last.c[name] for name in ("gpu_count", "on_demand_usd", "spot_min_usd", "closed_at")),
    ).where(last.c.place == 1)


def _last_of(start: Any, within: ColumnElement[bool], conditions: Sequence[ColumnElement[bool]]) -> Select[Any]:
    newest_first = func.row_number().over(
        partition_by=(ListingPrice.c.listing, start), order_by=ListingPrice.c.seq.desc()
    )
    return (
        select(
            *(Listing.c.gpu_model, ListingPrice.c.listing, start.label("start"), Listing.c.gpu_count),
            *(ListingPrice.c.on_demand_usd, ListingPrice.c.spot_min_usd, Listing.c.closed_at),
            newest_first.label("place"),
        )
        .join(Listing.table, Listing.c.address == ListingPrice.c.listing)
        .where(within, *conditions)
    )


def _points(changes: Sequence[_Asked], window: SeriesWindow) -> list[AskFigures]:
    """Of one model's changes, in order: a period has what holds at its end."""
    held: dict[str, tuple[int, int]] = {}
    on_demand: list[int] = []
    spot: list[int] = []
    points: list[AskFigures] = []
    at = 0
    for start in window.starts:
        while at < len(changes) and changes[at].start <= start:
            change = changes[at]
            at += 1
            before = held.pop(change.listing, None)
            if before is not None:
                _drop(on_demand, before[0])
                _drop(spot, before[1])
            if change.prices is not None:
                held[change.listing] = change.prices
                insort(on_demand, change.prices[0])
                insort(spot, change.prices[1])
        points.append(_point(start, on_demand, spot))
    return points


def _drop(values: list[int], value: int) -> None:
    del values[bisect_left(values, value)]


def _point(at: int, on_demand: Sequence[int], spot: Sequence[int]) -> AskFigures:
    """Of prices in order."""
    taken = bisect_left(spot, 1)
    return AskFigures.known(
        at=at,
        machines=len(on_demand),
        min_usd=on_demand[0] if on_demand else None,
        median_usd=on_demand[(len(on_demand) - 1) // 2] if on_demand else None,
        max_usd=on_demand[-1] if on_demand else None,
        min_spot_usd=spot[taken] if taken < len(spot) else None,
    )
