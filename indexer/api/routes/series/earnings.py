"""GET /api/series/earnings: a host's payments by hour or day and mint."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, select

from anchor_client.resources.base import BaseUnits, about
from indexer.api.deps import Chain, Read
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.series import PeriodFigures, SeriesStep, SeriesWindow, WindowQuery
from indexer.api.words import AddressText
from indexer.models import EarningPoint, PaymentMint

router = StrictRouter(prefix="/api/series/earnings", tags=["market"])


class EarningQuery(WindowQuery):
    """Hours or days of a host, of each mint that it was paid in."""

    host: AddressText = Field(description="The host's account.")


class EarningFigures(PeriodFigures):
    """Payments of an hour or a day."""

    amount: BaseUnits
    usd: int = about(
        description="Their value in micro-USD, each at the price of its moment, rounded down; zero before the mint's "
        "first price."
    )
    payouts: int


class EarningSeries(BaseModel):
    """In a payment mint."""

    mint: str = Field(examples=["So11111111111111111111111111111111111111112"])
    decimals: int = Field(examples=[9])
    points: list[EarningFigures]


class EarningsOverTime(BaseModel):
    """The requested hours or days, oldest first, of each mint with a payment."""

    step: SeriesStep
    series: list[EarningSeries]


@router.get("", summary="A host's earnings over time", responses=refusals(400, 422))
async def earnings_over_time(
    read: Read, chain: Chain, request: Request, asked: Annotated[EarningQuery, Query()]
) -> EarningsOverTime:
    """Payments count at their time, as in `/api/payouts`."""
    return await read(_earnings, asked, asked.window(request, chain))


def _earnings(connection: Connection, asked: EarningQuery, window: SeriesWindow) -> EarningsOverTime:
    names = ("mint", "start", "amount", "usd", "payouts")
    rows = connection.execute(
        select(*(EarningPoint.c[name] for name in names)).where(
            EarningPoint.c.host == asked.host, window.has(EarningPoint.c.step, EarningPoint.c.start)
        )
    )
    known = {(mint, start): (amount, usd, payouts) for mint, start, amount, usd, payouts in rows}
    paid_in = {mint for mint, _ in known}
    mints = select(PaymentMint.c.mint, PaymentMint.c.decimals).order_by(PaymentMint.c.mint)
    series = [
        EarningSeries(
            mint=mint,
            decimals=decimals,
            points=[
                EarningFigures.known(at=at, amount=amount, usd=usd, payouts=payouts)
                for at in window.starts
                for amount, usd, payouts in (known.get((mint, at), (0, 0, 0)),)
            ],
        )
        for mint, decimals in connection.execute(mints)
        if mint in paid_in
    ]
    return EarningsOverTime(step=asked.step, series=series)
