"""GET /api/series/rentals: rentals opened, started, ended and running by hour or day."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel
from sqlalchemy import Connection

from anchor_client.resources.base import about
from indexer.api.deps import Chain, Read
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.places import PlaceFigures, PlaceQuery, PlaceSeries, place_names, sum_places
from indexer.api.series import PeriodFigures, SeriesStep, SeriesWindow
from indexer.models import MarketLevel, MarketPoint

router = StrictRouter(prefix="/api/series/rentals", tags=["market"])


class RentalFigures(PeriodFigures):
    """Rentals of an hour or a day."""

    opened: int = about(description="Orders, including those that wait for a machine.", examples=(12,))
    started: int = about(examples=(11,))
    ended: int = about(description="Ended for any reason, also before the start.", examples=(9,))
    running: int = about(description="Started and not ended, at its end.", examples=(24,))


class RentalSeries(PlaceSeries):
    """Of all machines, or those of a model or a region."""

    points: list[RentalFigures]


class RentalsOverTime(BaseModel):
    """The requested hours or days, oldest first, in each series."""

    step: SeriesStep
    series: list[RentalSeries]


@router.get("", summary="Rentals over time", responses=refusals(400, 422))
@kept(MarketPoint, MarketLevel)
async def rentals_over_time(
    read: Read, chain: Chain, request: Request, asked: Annotated[PlaceQuery, Query()]
) -> RentalsOverTime:
    """Rentals (users' jobs), by the machine of the order."""
    return await read(_rentals, asked, asked.window(request, chain))


def _rentals(connection: Connection, asked: PlaceQuery, window: SeriesWindow) -> RentalsOverTime:
    places = sum_places(connection, asked, window, _figures)
    series = [
        RentalSeries(
            **place_names(place),
            points=[
                RentalFigures.known(at=at, opened=opened, started=started, ended=ended, running=running)
                for at, (opened, started, ended, running) in zip(window.starts, points, strict=True)
            ],
        )
        for place, points in places.items()
    ]
    return RentalsOverTime(step=asked.step, series=series)


def _figures(_: int, kept: PlaceFigures) -> tuple[int, ...]:
    return kept.opened, kept.started, kept.ended, kept.running
