"""GET /api/network: the market as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, and_, case, func, select

from anchor_client.generated.constants import BPS
from anchor_client.resources.base import BaseUnits
from anchor_client.rules.catalog import GPU_BY_ID, region_slug
from indexer.api.deps import Chain
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.kept.making import keeping
from indexer.models import Host, Listing, PaymentMint, Vault
from indexer.status import Status
from indexer.store.queries import ONLINE, heard_since

router = StrictRouter(prefix="/api/network", tags=["market"])


class Capacity(BaseModel):
    """Machines and their throughput."""

    nodes: int = Field(description="Machines on offer.")
    online: int = Field(description="Machines with a recent heartbeat.")
    rented: int
    gpus: int
    utilisation_bps: int = Field(description="Share of rented machines among those online or rented.", examples=[2500])
    pflops: str = Field(
        description="8-bit tensor throughput of the machines online, by data sheet, three decimals.",
        examples=["62.328"],
    )


class RegionCapacity(Capacity):
    """The same of one region."""

    region: str = Field(examples=["eu-west"])


class MintTotals(BaseModel):
    """Money of one mint, over all vaults."""

    mint: str
    decimals: int
    deposited: BaseUnits
    paid_to_hosts: BaseUnits
    burned: BaseUnits
    refunded: BaseUnits
    escrow: BaseUnits = Field(description="Funds of running rentals in the vaults.")
    subsidy_pool: BaseUnits = Field(
        description="Funds of subsidies to come; `subsidy_daily_bps` of them may leave each vault in a UTC day."
    )


class Network(Capacity):
    """The market as a whole."""

    hosts: int
    rentals: int = Field(description="Total of rentals opened.")
    active_rentals: int
    tokens: list[MintTotals]
    regions: list[RegionCapacity]


ALIKE = (Listing.c.region, Listing.c.gpu_model, Listing.c.gpu_count)
RENTED = Listing.c.current.is_not(None)
GROUPS = (
    select(
        *ALIKE, func.count(), *(func.sum(case((was, 1), else_=0)) for was in (ONLINE, RENTED, and_(~RENTED, ONLINE)))
    )
    .where(Listing.c.closed_at == 0)
    .group_by(*ALIKE)
)
"""Machines that are alike: all, online, rented, and idle but online."""
HOSTS = select(func.count()).select_from(Host.table).where(Host.c.approved)
RENTALS = select(Vault.c.rentals, Vault.c.open_rentals)
"""Rentals ever opened and open ones, by vault: counting them takes as long as there are many."""
VAULT_TOTALS = {
    "deposited": Vault.c.total_deposited,
    "paid_to_hosts": Vault.c.total_paid,
    "burned": Vault.c.total_burned,
    "refunded": Vault.c.total_refunded,
    "escrow": Vault.c.liabilities,
    "subsidy_pool": Vault.c.subsidy_pool,
}
VAULTS = select(PaymentMint.c.mint, PaymentMint.c.decimals, *VAULT_TOTALS.values()).outerjoin(
    Vault.table, Vault.c.mint == PaymentMint.c.mint
)
"""Every payment mint, once a vault; what SQLite keeps as text cannot be summed there."""


@dataclass(frozen=True, slots=True)
class Group:
    """Machines of one model, count and region."""

    region: int
    gpu_model: int
    gpu_count: int
    nodes: int
    online: int
    rented: int
    busy: int
    """Online or rented."""


@router.get("", summary="Nodes, utilisation, PFLOPS, rentals and burn")
@kept(Listing, Host, PaymentMint, Vault)
async def network(request: Request, chain: Chain) -> Network:
    """Totals and the same by region."""
    return await keeping(request, lambda connection: _network(connection, chain))


def _network(connection: Connection, chain: Status) -> Network:
    groups = _groups(connection, chain)
    rentals = connection.execute(RENTALS).all()
    by_region: defaultdict[int, list[Group]] = defaultdict(list)
    for group in groups:
        by_region[group.region].append(group)
    regions = [
        RegionCapacity(region=region_slug(region), **_capacity(part).model_dump())
        for region, part in sorted(by_region.items())
    ]
    total = _capacity(groups).model_dump()
    return Network(
        **total,
        hosts=connection.scalar(HOSTS) or 0,
        rentals=sum(ever for ever, _ in rentals),
        active_rentals=sum(active for _, active in rentals),
        tokens=_tokens(connection),
        regions=regions,
    )


def _groups(connection: Connection, chain: Status) -> list[Group]:
    return [
        Group(region, model, count, nodes, int(alive), int(rented), int(rented) + int(idle))
        for region, model, count, nodes, alive, rented, idle in connection.execute(GROUPS, heard_since(chain))
    ]


def _capacity(groups: Sequence[Group]) -> Capacity:
    rented = sum(group.rented for group in groups)
    busy = sum(group.busy for group in groups)
    tflops = sum(
        GPU_BY_ID[group.gpu_model].tensor_tflops * group.gpu_count * group.online
        for group in groups
        if group.gpu_model in GPU_BY_ID
    )
    return Capacity(
        nodes=sum(group.nodes for group in groups),
        online=sum(group.online for group in groups),
        rented=rented,
        gpus=sum(group.nodes * group.gpu_count for group in groups),
        utilisation_bps=rented * BPS // busy if busy else 0,
        pflops=f"{tflops // 1000}.{tflops % 1000:03d}",
    )


def _tokens(connection: Connection) -> list[MintTotals]:
    mints: dict[str, int] = {}
    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(VAULT_TOTALS))
    for mint, decimals, *amounts in connection.execute(VAULTS):
        mints[mint] = decimals
        totals[mint] = [total + (amount or 0) for total, amount in zip(totals[mint], amounts, strict=True)]
    return [
        MintTotals(mint=mint, decimals=decimals, **dict(zip(VAULT_TOTALS, totals[mint], strict=True)))
        for mint, decimals in sorted(mints.items())
    ]
