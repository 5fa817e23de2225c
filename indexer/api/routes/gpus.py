"""GET /api/gpus: the catalog, with what is free right now and at what price."""

from __future__ import annotations

from fastapi import Request
from pydantic import BaseModel
from sqlalchemy import Connection, case, func, select

from anchor_client.resources.gpu import Gpu, gpus_of
from indexer.api.deps import Chain
from indexer.api.http.strict import StrictRouter
from indexer.api.making import keeping
from indexer.models import Host, Listing
from indexer.status import Status
from indexer.store.queries import AVAILABLE, heard_since, market_token

router = StrictRouter(prefix="/api/gpus", tags=["market"])


class Catalog(BaseModel):
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
    select(*ALIKE, func.count(), func.sum(case((AVAILABLE, 1), else_=0)))
    .join(Host.table, Host.c.address == Listing.c.host)
    .where(Listing.c.closed_at == 0)
    .group_by(*ALIKE)
)
"""Machines that are alike: how many are listed, and how many are available."""


@router.get("", summary="The GPU catalog with live availability and rates")
async def list_gpus(request: Request, chain: Chain) -> Catalog:
    """The models that a market opens with, and all others that are listed."""
    return await keeping(request, lambda connection: _catalog(connection, chain))


def _catalog(connection: Connection, chain: Status) -> Catalog:
    machines = [(*alike, int(available)) for *alike, available in connection.execute(OFFERS, heard_since(chain))]
    return Catalog(gpus=gpus_of(machines, chain.market, market_token(connection)))
