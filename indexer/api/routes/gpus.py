"""GET /api/gpus: the catalog, with live availability and prices."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel
from sqlalchemy import Connection, Select, case, func, select

from anchor_client.resources.gpu import Gpu, Machines, gpus_of
from indexer.api.deps import Chain
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.kept.making import keeping
from indexer.models import Host, Listing, Market, PaymentMint
from indexer.status import Status
from indexer.store.queries import AVAILABLE, VERIFIED, heard_since, market_token

router = StrictRouter(prefix="/api/gpus", tags=["market"])


Verified = Annotated[bool, Query(description="Count only verified machines.")]


class GpuCatalog(BaseModel):
    """Models."""

    gpus: list[Gpu]


ALIKE = (
    Listing.c.gpu_model,
    Listing.c.region,
    Listing.c.gpu_count,
    Listing.c.on_demand_usd,
    Listing.c.reference_usd,
)
OFFERS = (
    select(*ALIKE, func.count(), func.sum(case((AVAILABLE, 1), else_=0)), func.sum(case((VERIFIED, 1), else_=0)))
    .join(Host.table, Host.c.address == Listing.c.host)
    .where(Listing.c.closed_at == 0)
    .group_by(*ALIKE)
)
"""Machines that are alike: how many are listed, and how many are available."""


VERIFIED_OFFERS = OFFERS.where(VERIFIED)


@router.get("", summary="The GPU catalog with live availability and rates", responses=refusals(422))
@kept(Listing, Host, Market, PaymentMint)
async def list_gpus(request: Request, chain: Chain, verified: Verified = False) -> GpuCatalog:
    """The models of a new market, and all others that are listed."""
    offers = VERIFIED_OFFERS if verified else OFFERS
    return await keeping(request, lambda connection: _catalog(connection, chain, offers))


def _catalog(connection: Connection, chain: Status, offers: Select[*tuple[Any, ...]]) -> GpuCatalog:
    machines: list[Machines] = []
    verified = Counter[int]()
    for *alike, listed, available, proven in connection.execute(offers, heard_since(chain)):
        model, region, count, price, reference = alike
        machines.append((model, region, count, price, reference, listed, int(available)))
        verified[model] += int(proven)
    return GpuCatalog(gpus=gpus_of(machines, chain.market, market_token(connection), verified))
