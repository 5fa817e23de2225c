"""How a rental ended, according to three sources that must agree."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import httpx
from solders.pubkey import Pubkey
from sqlalchemy import Engine, text

from anchor_client.market import Job
from market_cli.errors import Disagreement

COLUMNS = "address, deposit, refunded, burned, close_tx, host_paid, fees, subsidy, subsidy_returned, finalized_by"


@dataclass(frozen=True, slots=True)
class Figures:
    """Where a rental's money went, base units; `burn_tx` and `finalized_by` in base58."""

    job: str
    cost: int
    burned: int
    burn_tx: str | None
    refunded: int
    host_paid: int
    fees: int
    deposit: int
    subsidy: int
    subsidy_returned: int
    finalized_by: str

    @property
    def balances(self) -> bool:
        """Whether every deposited unit is accounted for."""
        out = self.host_paid + self.fees + self.burned + self.refunded + self.subsidy_returned
        return self.deposit + self.subsidy == out and self.cost == self.deposit - self.refunded

    def differences(self, other: Figures) -> list[str]:
        """The figures that differ."""
        mine, theirs = asdict(self), asdict(other)
        return [f"{name}: {mine[name]} and {theirs[name]}" for name in mine if mine[name] != theirs[name]]


def from_chain(job: Job) -> Figures:
    """Figures from the events of the rental's transactions."""
    return Figures(
        job=str(job.id),
        cost=job.cost,
        burned=job.burned,
        burn_tx=str(job.burn_tx) if job.burn_tx is not None else None,
        refunded=job.refunded,
        host_paid=job.host_paid,
        fees=job.fees,
        deposit=job.deposit,
        subsidy=job.subsidy,
        subsidy_returned=job.subsidy_returned,
        finalized_by=str(job.finalized_by),
    )


def from_sql(engine: Engine, job: Pubkey) -> Figures:
    """Figures from the indexer's tables. Disagreement if the rental is missing."""
    query = text(f"SELECT {COLUMNS} FROM rental WHERE address = :address")
    with engine.connect() as connection:
        row = connection.execute(query, {"address": str(job)}).mappings().first()
    if row is None:
        raise Disagreement(f"SQL has no rental {job}")
    deposit, refunded, burned = int(row["deposit"]), int(row["refunded"]), int(row["burned"])
    return Figures(
        job=row["address"],
        cost=deposit - refunded,
        burned=burned,
        burn_tx=row["close_tx"] if burned else None,
        refunded=refunded,
        host_paid=int(row["host_paid"]),
        fees=int(row["fees"]),
        deposit=deposit,
        subsidy=int(row["subsidy"]),
        subsidy_returned=int(row["subsidy_returned"]),
        finalized_by=row["finalized_by"],
    )


async def from_api(api: httpx.AsyncClient, job: Pubkey) -> Figures | None:
    """Figures from the API; None until it shows that the rental has ended."""
    response = await api.get(f"/api/jobs/{job}")
    if response.status_code == httpx.codes.NOT_FOUND:
        return None
    answer = response.raise_for_status().json()
    if answer["ended_at"] is None:
        return None
    amounts = ("cost", "burned", "refunded", "host_paid", "fees", "deposit", "subsidy", "subsidy_returned")
    return Figures(
        job=answer["id"],
        burn_tx=answer["burn_tx"],
        finalized_by=answer["finalized_by"],
        **{name: int(answer[name]) for name in amounts},
    )
