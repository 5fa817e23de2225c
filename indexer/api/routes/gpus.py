"""GET /api/gpus: the catalog, with live availability and prices."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel
from sqlalchemy import Connection, Select, case, func, select

from anchor_client.resources.gpu import Gpu, Machines, gpus_of
from anchor_client.rules.subsidy import subsidy_left
from indexer.api.deps import Chain
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.kept.making import keeping
from indexer.models import Host, Listing, Market, PaymentMint, Vault
from indexer.status import Status
from indexer.store.pricing import pricing
from indexer.store.queries import AVAILABLE, VERIFIED, heard_since

router = StrictRouter(prefix="/api/gpus", tags=["market"])


Verified = Annotated[bool, Query(description="Count only verified machines.")]


class GpuCatalog(BaseModel):
    """Models."""

    gpus: list[Gpu]


BUDGET = (Host.c.subsidy_budget, Host.c.subsidy_booked, Host.c.subsidy_day)
LISTED = tuple(
    Listing.c[name]
    for name in ("gpu_model", "region", "gpu_count", "on_demand_usd", "spot_min_usd", "reference_usd", "mrl_seconds")
)
ALIKE = (*LISTED, *BUDGET)
OFFERS = (
    select(
        *ALIKE,
        func.count().label("listed"),
        func.sum(case((AVAILABLE, 1), else_=0)).label("available"),
        func.sum(case((VERIFIED, 1), else_=0)).label("proven"),
    )
    .join(Host.table, Host.c.address == Listing.c.host)
    .where(Listing.c.closed_at == 0)
    .group_by(*ALIKE)
)
"""Machines that are alike: how many are listed, and how many are available."""


VERIFIED_OFFERS = OFFERS.where(VERIFIED)


@router.get("", summary="The GPU catalog with live availability and rates", responses=refusals(422))
@kept(Listing, Host, Market, PaymentMint, Vault)
async def list_gpus(request: Request, chain: Chain, verified: Verified = False) -> GpuCatalog:
    """The models of a new market, and all others that are listed."""
    offers = VERIFIED_OFFERS if verified else OFFERS
    return await keeping(request, lambda connection: _catalog(connection, chain, offers))


def _catalog(connection: Connection, chain: Status, offers: Select[*tuple[Any, ...]]) -> GpuCatalog:
    machines: list[Machines] = []
    verified = Counter[int]()
    terms, now = pricing(connection, chain), chain.now()
    for row in connection.execute(offers, heard_since(chain)):
        alike = {column.name: row._mapping[column] for column in LISTED}
        left, available = subsidy_left(row, now), int(row.available)
        machines.append(Machines(**alike, subsidy_left=left, listed=row.listed, available=available))
        verified[row.gpu_model] += int(row.proven)
    return GpuCatalog(gpus=gpus_of(machines, terms, verified))
