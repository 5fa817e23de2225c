"""GET /health."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

import structlog
from fastapi import Response
from pydantic import BaseModel, Field
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from anchor_client.service.redaction import scrub
from indexer.api.deps import ApiSettings, Chain, Read
from indexer.api.http.strict import StrictRouter
from indexer.index.proof.evidence import Evidence, evidence_of
from indexer.models import VaultCheck
from indexer.settings import IndexerSettings
from indexer.status import Status

LEAST_FREE_BYTES = 256 * 2**20
"""On the disk of a SQLite database."""

router = StrictRouter(tags=["operations"])
log = structlog.get_logger(__name__)


class Health(BaseModel):
    """Health of the index."""

    status: Literal["ok", "starting", "unhealthy"]
    problems: list[str]
    last_error: str | None = Field(description="Why the newest read of the chain fails; null once one succeeds.")
    cursor_slot: int | None = Field(description="Slot of the last transaction in the index; null if unknown.")
    complete_slot: int = Field(description="The index is complete up to this slot.")
    head_slot: int = Field(description="Newest slot of the chain: the last reported one, plus the time since.")
    lag_slots: int = Field(description="Slots since complete_slot; grows while a read of the chain hangs.")
    lag_seconds: float = Field(description="Seconds since the index was known to be complete.")
    chain_time: int
    gaps: int | None = Field(description="Events that do not follow their entity's last one; null if unknown.")
    dead_letters: int | None = Field(description="Events that could not be read; null if unknown.")
    reconciliation: list[VaultCheck]


@router.get(
    "/health",
    summary="Health of the index: completeness and agreement with the chain",
    responses={503: {"model": Health}},
)
async def health(settings: ApiSettings, read: Read, chain: Chain, response: Response) -> Health:
    """503 while the index is incomplete, lags, misses events, differs from a vault, is unwritable, or stops."""
    try:
        evidence = await read(evidence_of, settings.program_id)
    except SQLAlchemyError as error:
        log.error("database failed", error=str(error))
        evidence = Evidence(problems=["the database cannot be read"])
    problems = [*evidence.problems, *_of_the_chain(chain, settings), *_of_the_disk(settings.database_url)]
    status: Literal["ok", "starting", "unhealthy"] = "ok"
    if problems:
        status = "unhealthy"
    elif not chain.ready:
        status = "starting"
    if status != "ok":
        response.status_code = 503
    return Health(
        status=status,
        problems=[scrub(problem) for problem in problems],
        last_error=None if chain.last_error is None else scrub(chain.last_error),
        cursor_slot=evidence.cursor_slot,
        complete_slot=chain.complete_slot,
        head_slot=max(chain.head_now, chain.complete_slot),
        lag_slots=chain.lag_slots,
        lag_seconds=round(chain.lag_seconds, 3),
        chain_time=chain.now(),
        gaps=evidence.gaps,
        dead_letters=evidence.dead_letters,
        reconciliation=evidence.checks,
    )


def _of_the_chain(chain: Status, settings: IndexerSettings) -> list[str]:
    problems = ["it is being stopped"] if chain.stopping else []
    if chain.unwritable is not None:
        problems.append(f"the database cannot be written: {chain.unwritable}")
    if chain.lag_seconds > settings.max_lag:
        problems.append(f"no complete read of the chain for {chain.lag_seconds:.0f} s: {chain.last_error or 'busy'}")
    return problems


def _of_the_disk(database_url: str) -> list[str]:
    """Problems of the disk that a SQLite database grows on."""
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return []
    try:
        free = shutil.disk_usage(Path(url.database).absolute().parent).free
    except OSError as error:
        return [f"the disk of the database cannot be read: {error.strerror}"]
    if free < LEAST_FREE_BYTES:
        return [f"the disk of the database has {free >> 20} MiB left"]
    return []
