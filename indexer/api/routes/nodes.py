"""GET /api/public/v1/nodes: available machines, for price aggregators and orchestrators. It only gains fields. Each
process rebuilds it at most every MAX_AGE seconds, once at a time, beside the event loop.
"""

from __future__ import annotations

import asyncio
import json
import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection, Row, select
from starlette.responses import Response

from anchor_client.amounts import exact_usd
from anchor_client.generated.types import RentalKind
from anchor_client.resources.listing import DISK_KINDS
from anchor_client.rules.catalog import GPU_BY_ID, gpu_slug, region_slug
from anchor_client.rules.listing import CUDA_MAJOR
from indexer import garbage
from indexer.api.cursors import decode_cursor, encode_cursor
from indexer.api.deps import Chain, CursorText, Read, of_application
from indexer.api.http.strict import StrictRouter
from indexer.api.listing_prices import ShownPrices
from indexer.models import Host, Listing
from indexer.status import Status
from indexer.store.pricing import pricing
from indexer.store.queries import AVAILABLE, heard_since
from indexer.store.transactions import Reads
from indexer.store.turns import SharedWork

router = StrictRouter(prefix="/api/public/v1/nodes", tags=["public"])

MAX_AGE = 10
"""Seconds."""
LARGEST_PAGE = 1_000
PART = 500
"""Nodes that are encoded at a time: the event loop gets its turns in between."""
Count = Annotated[int, Field(ge=0)]
PageSize = Annotated[int, Query(ge=1, le=LARGEST_PAGE)]
Key: TypeAlias = tuple[int, str, bool]
"""Place of a node: price, address, and whether it is a spot one."""


class Node(BaseModel):
    """An available machine, at one of its prices."""

    id: str = Field(description="Address of the listing.")
    spot: bool = Field(description="True if the price is the minimum spot bid; such a rental can be displaced.")
    price: str = Field(description="US dollars per machine-hour, exact, without fees.", examples=["2.760000"])
    micro_usd_per_hour: Count = Field(description="The same, in micro-USD.")
    paid_micro_usd_per_hour: Count | None = Field(
        description="Micro-USD that an order placed now pays for an hour in the market token, fees included and the "
        "subsidy taken off; null while unknown."
    )
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
    """Available machines, cheapest first."""

    version: int = Field(description="Version of this format; within a version, fields are only added.", examples=[1])
    nodes: list[Node]
    next_cursor: str | None = Field(default=None, description="Null on the last page.")


@dataclass(frozen=True, slots=True)
class NodeSnapshot:
    """All nodes at a moment, each as JSON, in order. Nothing else of them is kept: to let go of more takes longer."""

    made_at: float
    texts: Sequence[bytes]

    def page(self, after: Key | None, limit: int) -> bytes:
        """The NodeFeed behind a node."""
        start = 0 if after is None else bisect_right(self.texts, after, key=_place)
        end = start + limit
        following = "null"
        if end < len(self.texts):
            price, address, is_spot = _place(self.texts[end - 1])
            following = json.dumps(encode_cursor("", price, address, int(is_spot)))
        nodes = b",".join(self.texts[start:end])
        return b'{"version":1,"nodes":[' + nodes + b'],"next_cursor":' + following.encode() + b"}"


class NodeMaker:
    """The newest snapshot; one is made at a time, for all who come meanwhile."""

    def __init__(self) -> None:
        self._making: asyncio.Task[NodeSnapshot] | None = None
        self._work = SharedWork()

    async def newest(self, read: Reads, chain: Status) -> NodeSnapshot:
        """At most MAX_AGE older than the request, however long making one takes."""
        making = self._making
        if making is None or (making.done() and _is_old(making)):
            self._work = SharedWork()
            with self._work.doing():
                making = self._making = asyncio.create_task(read(_snapshot, chain))
        self._work.join()
        # Shielded: who leaves takes it from nobody else.
        return await asyncio.shield(making)


def _is_old(made: asyncio.Task[NodeSnapshot]) -> bool:
    """True for one that failed, too."""
    failed = made.cancelled() or made.exception() is not None
    return failed or time.monotonic() - made.result().made_at >= MAX_AGE


Making = Annotated[NodeMaker, Depends(of_application("node_maker"))]
NODES = (
    select(Listing.table, Host.c.score_bps, Host.c.subsidy_budget, Host.c.subsidy_booked, Host.c.subsidy_day)
    .join(Host.table, Host.c.address == Listing.c.host)
    .where(Listing.c.closed_at == 0, AVAILABLE)
)


@router.get("", summary="Available machines", response_model=NodeFeed)
async def list_nodes(
    read: Read, chain: Chain, maker: Making, limit: PageSize = LARGEST_PAGE, cursor: CursorText = None
) -> Response:
    """The feed in pages: no sign-in, an ETag, and at most 10 s old."""
    after = None
    if cursor is not None:
        price, address, is_spot = decode_cursor(cursor, "")
        after = price, address, bool(is_spot)
    snapshot = await maker.newest(read, chain)
    headers = {"cache-control": f"public, max-age={MAX_AGE}"}
    return Response(snapshot.page(after, limit), media_type="application/json", headers=headers)


@garbage.kept()
def _snapshot(connection: Connection, chain: Status) -> NodeSnapshot:
    made_at = time.monotonic()
    terms = pricing(connection, chain)
    prices = ShownPrices(terms, terms.token(), chain.now())
    parts: list[list[tuple[Key, bytes]]] = []
    for rows in connection.execute(NODES, heard_since(chain)).partitions(PART):
        nodes = [_node(row, row.on_demand_usd, prices.paid(row, RentalKind.ON_DEMAND), spot=False) for row in rows]
        spot = [row for row in rows if row.spot_min_usd]
        nodes += [_node(row, row.spot_min_usd, prices.paid(row, RentalKind.SPOT), spot=True) for row in spot]
        nodes.sort(key=_key)
        parts.append([(_key(node), node.model_dump_json().encode()) for node in nodes])
    # Merged, not sorted, and let go in parts: in one piece each would hold up every other thread.
    texts = [text for _, text in merge(*parts, key=itemgetter(0))]
    while parts:
        parts.pop()
    return NodeSnapshot(made_at, texts)


def _key(node: Node) -> Key:
    return node.micro_usd_per_hour, node.id, node.spot


def _place(text: bytes) -> Key:
    node = json.loads(text)
    return node["micro_usd_per_hour"], node["id"], node["spot"]


def _node(row: Row[*tuple[Any, ...]], price: int, paid: int | None, *, spot: bool) -> Node:
    slug = gpu_slug(row.gpu_model)
    return Node(
        id=row.address,
        spot=spot,
        price=exact_usd(price),
        micro_usd_per_hour=price,
        paid_micro_usd_per_hour=paid,
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
