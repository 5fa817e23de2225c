"""GET /health and /metrics."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel, Field
from sqlalchemy import Connection, bindparam, func, select

from indexer.api.deps import ApiSettings, Chain, Read
from indexer.models import Cursor, DeadLetter, Reconciliation, SeqGap, VaultCheck

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    """Whether the index can be relied on."""

    status: Literal["ok", "starting", "unhealthy"]
    problems: list[str]
    cursor_slot: int | None = Field(description="Slot of the last transaction in the index.")
    complete_slot: int = Field(description="The index holds everything up to here.")
    head_slot: int = Field(description="Newest slot seen at the commitment.")
    lag_slots: int
    lag_seconds: float = Field(description="Seconds since the index was known to be complete.")
    chain_time: int
    gaps: int = Field(description="Events that did not follow the last of their entity.")
    dead_letters: int = Field(description="Events that could not be read.")
    reconciliation: list[VaultCheck]


@router.get(
    "/health", summary="Whether the index is complete and agrees with the chain", responses={503: {"model": Health}}
)
async def health(settings: ApiSettings, read: Read, chain: Chain, response: Response) -> Health:
    """503 while the index is not complete yet, lags, misses events, or disagrees with a vault."""
    (cursor, gaps, letters), checks = await read(_evidence, settings.program_id)
    problems = [f"vault {check.vault}: {check.difference}" for check in checks if check.difference]
    if gaps:
        problems.append(f"{gaps} gaps in the events")
    if letters:
        problems.append(f"{letters} events could not be read")
    if chain.lag_seconds > settings.max_lag:
        problems.append(f"no complete look at the chain for {chain.lag_seconds:.0f} s: {chain.last_error or 'busy'}")
    starting = not chain.ready and not problems
    if problems or starting:
        response.status_code = 503
    return Health(
        status="unhealthy" if problems else "starting" if starting else "ok",
        problems=problems,
        cursor_slot=cursor,
        complete_slot=chain.complete_slot,
        head_slot=chain.head_slot,
        lag_slots=chain.head_slot - chain.complete_slot,
        lag_seconds=round(chain.lag_seconds, 3),
        chain_time=chain.now(),
        gaps=gaps,
        dead_letters=letters,
        reconciliation=checks,
    )


def _evidence(connection: Connection, program: str) -> tuple[tuple[int | None, int, int], list[VaultCheck]]:
    cursor, gaps, letters = connection.execute(COUNTS, {"program": program}).one()
    checks = [VaultCheck(**row) for row in connection.execute(CHECKS).mappings()]
    return (cursor, gaps, letters), checks


COUNTS = select(
    select(Cursor.c.slot).where(Cursor.c.source == bindparam("program")).scalar_subquery(),
    select(func.count()).select_from(SeqGap.table).scalar_subquery(),
    select(func.count()).select_from(DeadLetter.table).scalar_subquery(),
)
CHECKS = select(*(Reconciliation.c[name] for name in VaultCheck.model_fields)).order_by(Reconciliation.c.vault)


@router.get("/metrics", summary="Metrics for Prometheus", response_class=Response)
def metrics() -> Response:
    """The text format."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
