"""GET /api/series/money: burns and fees by hour or day and mint."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, select

from anchor_client.resources.base import BaseUnits, about
from indexer.api.deps import Chain, Read
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.series import PeriodFigures, SeriesStep, SeriesWindow, WindowQuery
from indexer.api.words import AddressText
from indexer.models import MoneyPoint, PaymentMint

router = StrictRouter(prefix="/api/series/money", tags=["market"])


class MoneyQuery(WindowQuery):
    """Hours or days, of each mint."""

    mint: AddressText | None = Field(None, description="Only this mint.")


class MoneyFigures(PeriodFigures):
    """Base units of an hour or a day."""

    burned: BaseUnits = about(description="Burns by ended rentals and divided fees.")
    fees: BaseUnits = about(description="Fees, before their division between burn, treasury and stakers.")


class MoneySeries(BaseModel):
    """Of a payment mint."""

    mint: str = Field(examples=["So11111111111111111111111111111111111111112"])
    decimals: int = Field(examples=[9])
    points: list[MoneyFigures]


class MoneyOverTime(BaseModel):
    """The requested hours or days, oldest first, of each payment mint."""

    step: SeriesStep
    series: list[MoneySeries]


@router.get("", summary="Burns and fees over time", responses=refusals(400, 422))
@kept(MoneyPoint, PaymentMint)
async def money_over_time(
    read: Read, chain: Chain, request: Request, asked: Annotated[MoneyQuery, Query()]
) -> MoneyOverTime:
    """Each amount counts at the time of its burn or fee."""
    return await read(_money, asked, asked.window(request, chain))


def _money(connection: Connection, asked: MoneyQuery, window: SeriesWindow) -> MoneyOverTime:
    mints = select(PaymentMint.c.mint, PaymentMint.c.decimals).order_by(PaymentMint.c.mint)
    amounts = select(MoneyPoint.c.mint, MoneyPoint.c.start, MoneyPoint.c.burned, MoneyPoint.c.fees).where(
        window.has(MoneyPoint.c.step, MoneyPoint.c.start)
    )
    if asked.mint is not None:
        mints = mints.where(PaymentMint.c.mint == asked.mint)
        amounts = amounts.where(MoneyPoint.c.mint == asked.mint)
    known = {(mint, start): (burned, fees) for mint, start, burned, fees in connection.execute(amounts)}
    series = [
        MoneySeries(
            mint=mint,
            decimals=decimals,
            points=[
                MoneyFigures.known(at=at, burned=burned, fees=fees)
                for at in window.starts
                for burned, fees in (known.get((mint, at), (0, 0)),)
            ],
        )
        for mint, decimals in connection.execute(mints)
    ]
    return MoneyOverTime(step=asked.step, series=series)
