"""A rental's final amounts, according to three sources that must agree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from http import HTTPStatus
from typing import Any

from solders.pubkey import Pubkey
from sqlalchemy import Engine, text

from anchor_client.market import Job
from anchor_client.solana.http.client import HttpClient
from local_market.errors import Disagreement

COLUMNS = (
    "address, deposit, compensation, refunded, burned, close_tx, host_paid, fees, subsidy, subsidy_returned, "
    "finalized_by"
)


@dataclass(frozen=True, slots=True)
class DemoFigures:
    """Amounts of an ended rental, in base units; `burn_tx` and `finalized_by` in base58."""

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
    compensation: int
    finalized_by: str

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> DemoFigures:
        """Figures of a job from one source, which uses the API's names for them."""
        amounts = {field.name: int(told[field.name]) for field in fields(cls) if field.type == "int"}
        return cls(job=told["id"], burn_tx=told["burn_tx"], finalized_by=told["finalized_by"], **amounts)

    @property
    def balances(self) -> bool:
        """True where every deposited unit is accounted for."""
        out = self.host_paid + self.fees + self.burned + self.refunded + self.subsidy_returned
        cost = self.deposit + self.compensation - self.refunded
        return self.deposit + self.subsidy == out and self.cost == cost

    def differences(self, other: DemoFigures) -> list[str]:
        """The figures that differ."""
        mine = asdict(self)
        theirs = asdict(other)
        return [f"{name}: {mine[name]} and {theirs[name]}" for name in mine if mine[name] != theirs[name]]


def from_chain(job: Job) -> DemoFigures:
    """Figures from the events of the rental's transactions."""
    return DemoFigures.of(job.to_json())


def from_sql(engine: Engine, job: Pubkey) -> DemoFigures:
    """Figures from the indexer's tables. Disagreement if the rental is missing."""
    query = text(f"SELECT {COLUMNS} FROM rental WHERE address = :address")
    with engine.connect() as connection:
        row = connection.execute(query, {"address": str(job)}).mappings().first()
    if row is None:
        raise Disagreement(f"SQL has no rental {job}")
    cost = int(row["deposit"]) + int(row["compensation"]) - int(row["refunded"])
    burn_tx = row["close_tx"] if int(row["burned"]) else None
    return DemoFigures.of({**row, "id": row["address"], "cost": cost, "burn_tx": burn_tx})


async def from_api(api: HttpClient, job: Pubkey) -> DemoFigures | None:
    """Figures from the API; None until it shows that the rental has ended."""
    response = await api.request("GET", f"/api/jobs/{job}")
    if response.status == HTTPStatus.NOT_FOUND:
        return None
    if not response.is_success:
        raise Disagreement(f"The API answers with HTTP status {response.status}")
    answer = json.loads(response.text)
    return None if answer["ended_at"] is None else DemoFigures.of(answer)
