"""Windows of time series: which hours or days an answer has a point for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from fastapi import Request
from pydantic import BaseModel, Field
from sqlalchemy import Column

from anchor_client.resources.base import Resource, about
from indexer.api.errors import ApiError
from indexer.api.kept.making import hold_until
from indexer.models.series import DAY, HOUR
from indexer.status import Status

MOST_POINTS = 744
"""Hours of 31 days."""

Moment: TypeAlias = Annotated[int | None, Field(ge=0, lt=2**63, examples=[1_790_000_000])]


class SeriesStep(StrEnum):
    """Period that a point covers."""

    HOUR = "hour"
    DAY = "day"

    @property
    def seconds(self) -> int:
        """Length of the period."""
        return HOUR if self is SeriesStep.HOUR else DAY

    @property
    def usual(self) -> int:
        """Number of points in an answer when no start is given."""
        return 24 if self is SeriesStep.HOUR else 30


@dataclass(frozen=True, slots=True)
class SeriesWindow:
    """The seconds of a step, and the unix seconds at which the first and the last one begin."""

    step: int
    first: int
    last: int

    @property
    def starts(self) -> range:
        """When each of them begins."""
        return range(self.first, self.last + 1, self.step)

    def has(self, step: Column[int], start: Column[int]) -> Any:
        """A condition on rows by the columns of their step and start."""
        return (step == self.step) & start.between(self.first, self.last)


class WindowQuery(BaseModel):
    """Hours or days, in UTC."""

    step: SeriesStep = SeriesStep.HOUR
    since: Moment = Field(None, description="A moment of the first hour or day; by default 24 hours or 30 days.")
    until: Moment = Field(None, description="A moment of the last hour or day; by default, and at most, now.")

    def window(self, request: Request, chain: Status) -> SeriesWindow:
        """The hours or days that are asked for; their answer holds until the next one begins. ApiError 400."""
        seconds = self.step.seconds
        now = chain.now()
        until = now if self.until is None else min(self.until, now)
        if self.since is None:
            since = max(until - (self.step.usual - 1) * seconds, 0)
        else:
            since = self.since
        if since > until:
            detail = f"since is {since - until} seconds after until, which is at most now."
            raise ApiError(400, "since_after_until", detail, "Give a since that is not after until.", parameter="since")
        window = SeriesWindow(seconds, since - since % seconds, until - until % seconds)
        if len(window.starts) > MOST_POINTS:
            detail = f"{len(window.starts)} {self.step}s were asked for; at most {MOST_POINTS} are answered at once."
            raise ApiError(400, "too_many_points", detail, "Ask for a part at a time, or by day.", parameter="since")
        if window.last == now - now % seconds:
            hold_until(request, window.last + seconds)
        return window


class PeriodFigures(Resource):
    """Something about an hour or a day."""

    at: int = about(description="When the hour or day begins, unix seconds.", examples=(1_789_999_200,))
