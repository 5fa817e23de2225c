"""GET /api/jobs and /api/jobs/{id}: rentals, running and ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection, bindparam

from anchor_client.kinds import JobState
from anchor_client.resources.job import Job
from anchor_client.rules.catalog import find_region
from indexer.api.deps import Read
from indexer.api.errors import ApiError, refusals
from indexer.api.job import JOBS, find_job, job_of
from indexer.api.pages import Pages
from indexer.api.values import AddressText
from indexer.models import Rental

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


class JobPage(BaseModel):
    """Some jobs, and where the next ones are."""

    jobs: list[Job]
    next_cursor: str | None = Field(description="Null on the last page.")


PAGES = Pages(
    JOBS,
    {
        "renter": Rental.c.renter == bindparam("renter"),
        "status": Rental.c.status == bindparam("status"),
        "region": Rental.c.region == bindparam("region"),
    },
    descending=True,
)


@router.get("", summary="Jobs, newest first", responses=refusals(400, 422))
async def list_jobs(
    read: Read,
    renter: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    status: Annotated[JobState | None, Query(description="Only in this state.")] = None,
    region: Annotated[str | None, Query(description="Only in this region.", examples=["eu-west"])] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
) -> JobPage:
    """A page of jobs."""
    filters = {
        "renter": renter,
        "status": None if status is None else status.value,
        "region": None if region is None else find_region(region).id,
    }
    return await read(_page, filters, limit, cursor)


def _page(connection: Connection, filters: Mapping[str, object], limit: int, cursor: str | None) -> JobPage:
    rows, following = PAGES.read(connection, filters, limit=limit, cursor=cursor)
    return JobPage(jobs=[job_of(row) for row in rows], next_cursor=following)


@router.get("/{id}", summary="One job with its history", responses=refusals(404, 422))
async def get_job(read: Read, id: AddressText) -> Job:
    """A job by the address of its rental, with its states, payments to its host and reported issues."""
    job = await read(find_job, id)
    if job is None:
        message = f"There is no job {id}."
        raise ApiError(404, "job_not_found", message, "Check the id; a new job appears once it is final.")
    return job
