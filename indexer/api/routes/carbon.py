"""GET /api/carbon: grams of CO2 of ended rentals by month, model, region and wallet."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection, select

from anchor_client.rules.carbon import grams_ceil
from anchor_client.rules.catalog import gpu_slug, region_slug
from indexer.api.deps import Read
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText, GpuText, RegionText, gpu_number, region_number
from indexer.models import GpuUse, WalletGpuUse

router = StrictRouter(prefix="/api/carbon", tags=["market"])

Month = Annotated[str | None, Query(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$", examples=["2026-11"])]


class Carbon(BaseModel):
    """GPU time and emissions of a month's rentals, on the GPUs of a model in a region."""

    month: str = Field(description="In UTC.", examples=["2026-11"])
    gpu: str = Field(examples=["nvidia-h100-pcie-80gb"])
    region: str = Field(examples=["eu-west"])
    gpu_seconds: int
    grams: int = Field(description="Grams of CO2, rounded up.")


class CarbonByMonth(BaseModel):
    """Months, oldest first, and all of them together."""

    grams: int = Field(description="The sum of the rows.")
    months: list[Carbon]


@router.get("", summary="CO2 by month, model and region", responses=refusals(400, 422))
async def list_carbon(
    read: Read,
    wallet: Annotated[AddressText | None, Query(description="Only this wallet's rentals.")] = None,
    gpu: GpuText | None = None,
    region: RegionText | None = None,
    since: Month = None,
    until: Annotated[Month, Query(description="The last month.")] = None,
) -> CarbonByMonth:
    """Emissions of ended rentals, in the months in which they ran; a running job shows its own."""
    return await read(
        _carbon,
        wallet,
        gpu_number(gpu),
        region_number(region),
        _number(since),
        _number(until),
    )


def _number(month: str | None) -> int | None:
    return None if month is None else int(month.replace("-", ""))


def _carbon(
    connection: Connection,
    wallet: str | None,
    model: int | None,
    region: int | None,
    since: int | None,
    until: int | None,
) -> CarbonByMonth:
    kind: type[GpuUse | WalletGpuUse] = GpuUse if wallet is None else WalletGpuUse
    asked = select(kind.c.month, kind.c.gpu_model, kind.c.region, kind.c.gpu_seconds)
    if wallet is not None:
        asked = asked.where(WalletGpuUse.c.wallet == wallet)
    if model is not None:
        asked = asked.where(kind.c.gpu_model == model)
    if region is not None:
        asked = asked.where(kind.c.region == region)
    if since is not None:
        asked = asked.where(kind.c.month >= since)
    if until is not None:
        asked = asked.where(kind.c.month <= until)
    rows = connection.execute(asked.order_by(kind.c.month, kind.c.gpu_model, kind.c.region)).all()
    months = [
        Carbon(
            month=f"{row.month // 100}-{row.month % 100:02d}",
            gpu=gpu_slug(row.gpu_model),
            region=region_slug(row.region),
            gpu_seconds=row.gpu_seconds,
            grams=grams_ceil([(row.gpu_model, row.region, row.gpu_seconds)]),
        )
        for row in rows
    ]
    return CarbonByMonth(grams=sum(month.grams for month in months), months=months)
