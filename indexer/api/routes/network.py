"""GET /api/network: the market as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from pydantic import BaseModel, Field
from sqlalchemy import Connection, and_, case, func, select

from anchor_client.catalog import GPU_BY_ID
from anchor_client.market.kinds import LIVE_STATES
from indexer.api.deps import Chain, Database
from indexer.api.values import BaseUnits, region_slug
from indexer.models import Host, Listing, Rental, Vault
from indexer.queries import online, payment_mints
from indexer.status import Status

router = APIRouter(prefix="/api/network", tags=["market"])

BPS = 10_000
OPEN = tuple(state.value for state in LIVE_STATES)


class Capacity(BaseModel):
    """Machines and what they can do."""

    nodes: int = Field(description="Machines on offer.")
    online: int = Field(description="Those heard from in time.")
    rented: int
    gpus: int
    utilisation_bps: int = Field(description="Rented machines of those online or rented.", examples=[2500])
    pflops: str = Field(description="FP16 of the machines online, three decimals.", examples=["62.328"])


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
    escrow: BaseUnits = Field(description="What running rentals have in the vaults.")


class Network(Capacity):
    """The market as a whole."""

    hosts: int
    rentals: int = Field(description="Rentals ever opened.")
    active_rentals: int
    tokens: list[MintTotals]
    regions: list[RegionCapacity]


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
def network(database: Database, chain: Chain) -> Network:
    """Totals and the same by region."""
    with database.connect() as connection:
        groups = _groups(connection, chain)
        tokens = _tokens(connection)
        hosts = connection.scalar(select(func.count()).select_from(Host).where(Host.approved)) or 0
        rentals = connection.scalar(select(func.count()).select_from(Rental)) or 0
        active = connection.scalar(select(func.count()).where(Rental.status.in_(OPEN))) or 0
    by_region: defaultdict[int, list[Group]] = defaultdict(list)
    for group in groups:
        by_region[group.region].append(group)
    regions = [
        RegionCapacity(region=region_slug(region), **_capacity(part).model_dump())
        for region, part in sorted(by_region.items())
    ]
    total = _capacity(groups).model_dump()
    return Network(**total, hosts=hosts, rentals=rentals, active_rentals=active, tokens=tokens, regions=regions)


def _groups(connection: Connection, chain: Status) -> list[Group]:
    columns = (Listing.region, Listing.gpu_model, Listing.gpu_count)
    alive, rented = online(chain), Listing.current.is_not(None)
    sums = [func.sum(case((condition, 1), else_=0)) for condition in (alive, rented, and_(~rented, alive))]
    query = select(*columns, func.count(), *sums).where(Listing.closed_at == 0).group_by(*columns)
    return [
        Group(region, model, count, nodes, int(alive_nodes), int(rented_nodes), int(rented_nodes) + int(idle_nodes))
        for region, model, count, nodes, alive_nodes, rented_nodes, idle_nodes in connection.execute(query)
    ]


def _capacity(groups: Sequence[Group]) -> Capacity:
    rented, busy = sum(group.rented for group in groups), sum(group.busy for group in groups)
    tflops = sum(
        GPU_BY_ID[group.gpu_model].fp16_tflops * group.gpu_count * group.online
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
    vaults: defaultdict[str, list[Vault]] = defaultdict(list)
    for row in connection.execute(select(Vault.__table__)).mappings():
        vaults[row["mint"]].append(Vault(**row))
    return [
        MintTotals(
            mint=mint,
            decimals=known.decimals,
            deposited=str(sum(vault.total_deposited for vault in vaults[mint])),
            paid_to_hosts=str(sum(vault.total_paid for vault in vaults[mint])),
            burned=str(sum(vault.total_burned for vault in vaults[mint])),
            refunded=str(sum(vault.total_refunded for vault in vaults[mint])),
            escrow=str(sum(vault.liabilities for vault in vaults[mint])),
        )
        for mint, known in sorted(payment_mints(connection).items())
    ]
