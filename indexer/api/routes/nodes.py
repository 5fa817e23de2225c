"""GET /api/public/v1/nodes: available machines, for price aggregators and orchestrators. It only gains fields. Each
process rebuilds it at most every MAX_AGE seconds.
"""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, Row, select
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from anchor_client.amounts import exact_usd
from anchor_client.resources.listing import DISK_KINDS
from anchor_client.rules.catalog import GPU_BY_ID, gpu_slug, region_slug
from anchor_client.rules.listing import CUDA_MAJOR
from indexer.api.deps import Chain, Read
from indexer.api.http.compact import OK, Representation
from indexer.api.http.strict import StrictRouter
from indexer.models import Host, Listing
from indexer.status import Status
from indexer.store.queries import AVAILABLE, heard_since

router = StrictRouter(prefix="/api/public/v1/nodes", tags=["public"])

MAX_AGE = 10
"""Seconds."""
Count = Annotated[int, Field(ge=0)]


class Node(BaseModel):
    """An available machine, at one of its prices."""

    id: str = Field(description="Address of the listing.")
    spot: bool = Field(description="True if the price is the minimum spot bid; such a rental can be displaced.")
    price: str = Field(description="US dollars per machine-hour, exact, without fees.", examples=["2.760000"])
    micro_usd_per_hour: Count = Field(description="The same, in micro-USD.")
    location: str = Field(examples=["eu-west"])
    gpu: str = Field(description="The model's slug.", examples=["nvidia-h100-pcie-80gb"])
    gpu_vendor: str = Field(examples=["nvidia"])
    gpu_name: str = Field(description="The model without form factor and memory.", examples=["H100", "RTX4090"])
    gpu_count: Count
    gpu_memory_gb: Count = Field(description="Of each GPU.")
    cpu_cores: Count
    memory_gb: Count
    disk_gb: Count
    disk_kind: str = Field(examples=["nvme"])
    net_up_mbps: Count
    net_down_mbps: Count
    cuda: str = Field(examples=["12.8"])
    max_duration: Count = Field(description="Longest rental, seconds.")
    reputation_bps: Count | None = Field(description="The host's score in basis points; null until first scored.")


class NodeFeed(BaseModel):
    """All available machines, cheapest first."""

    version: int = Field(description="Version of this format; within a version, fields are only added.", examples=[1])
    nodes: list[Node]


class _Made(Response):
    """An answer that is kept."""

    def __init__(self, representation: Representation) -> None:
        super().__init__()
        self._representation = representation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._representation.send(scope, send)


NODES = (
    select(Listing.table, Host.c.score_bps)
    .join(Host.table, Host.c.address == Listing.c.host)
    .where(Listing.c.closed_at == 0, AVAILABLE)
)


@router.get("", summary="Available machines", response_model=NodeFeed)
async def list_nodes(request: Request, read: Read, chain: Chain) -> Response:
    """The whole feed: no sign-in, an ETag, and at most 10 s old."""
    state = request.app.state
    now = time.monotonic()
    made_at, representation = getattr(state, "node_feed", (0.0, None))
    if representation is None or now - made_at >= MAX_AGE:
        body = (await read(_feed, chain)).model_dump_json().encode()
        representation = _represent(body)
        state.node_feed = now, representation
    return _Made(representation)


def _represent(body: bytes) -> Representation:
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "cache-control": f"public, max-age={MAX_AGE}",
    }
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Representation({"type": "http.response.start", "status": OK, "headers": raw}, body)


def _feed(connection: Connection, chain: Status) -> NodeFeed:
    rows = connection.execute(NODES, heard_since(chain)).all()
    nodes = [_node(row, row.on_demand_usd, spot=False) for row in rows]
    nodes += [_node(row, row.spot_min_usd, spot=True) for row in rows if row.spot_min_usd]
    return NodeFeed(version=1, nodes=sorted(nodes, key=lambda node: (node.micro_usd_per_hour, node.id, node.spot)))


def _node(row: Row[*tuple[Any, ...]], price: int, *, spot: bool) -> Node:
    slug = gpu_slug(row.gpu_model)
    return Node(
        id=row.address,
        spot=spot,
        price=exact_usd(price),
        micro_usd_per_hour=price,
        location=region_slug(row.region),
        gpu=slug,
        gpu_vendor=slug.partition("-")[0],
        gpu_name=_short_name(row.gpu_model),
        gpu_count=row.gpu_count,
        gpu_memory_gb=row.vram_gb,
        cpu_cores=row.cpu_cores,
        memory_gb=row.ram_gb,
        disk_gb=row.disk_gb,
        disk_kind=DISK_KINDS[row.disk_kind],
        net_up_mbps=row.net_up_mbps,
        net_down_mbps=row.net_down_mbps,
        cuda=f"{row.cuda // CUDA_MAJOR}.{row.cuda % CUDA_MAJOR}",
        max_duration=row.mrl_seconds,
        reputation_bps=row.score_bps,
    )


def _short_name(model: int) -> str:
    """`H100` of `H100 PCIe`, `RTX4090` of `RTX 4090`."""
    known = GPU_BY_ID.get(model)
    if known is None:
        return str(model)
    first, *others = known.name.split(" ")
    if any(letter.isdigit() for letter in first) or not others:
        return first
    return first + others[0]
