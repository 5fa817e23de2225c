"""GET /api/jobs and /api/jobs/{id}: rentals, running and ended."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import select, tuple_

from anchor_client.market.kinds import JobState
from anchor_client.market.matching import find_region
from indexer.api.cursors import decode_cursor, encode_cursor
from indexer.api.deps import Database
from indexer.api.errors import ApiError, refusals
from indexer.api.job import JobDetail, JobPage, job_detail, job_of
from indexer.api.values import AddressText
from indexer.models import Rental, RentalIssue, RentalState, Settlement
from indexer.queries import payment_mints

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.get("", summary="Jobs, newest first", responses=refusals(400, 422))
def list_jobs(
    database: Database,
    renter: Annotated[AddressText | None, Query(description="Only this wallet's.")] = None,
    status: Annotated[JobState | None, Query(description="Only in this state.")] = None,
    region: Annotated[str | None, Query(description="Only in this region.", examples=["eu-west"])] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="next_cursor of the page before.")] = None,
) -> JobPage:
    """A page of jobs."""
    query = select(Rental.__table__)
    if renter is not None:
        query = query.where(Rental.renter == renter)
    if status is not None:
        query = query.where(Rental.status == status.value)
    if region is not None:
        query = query.where(Rental.region == find_region(region).id)
    if cursor is not None:
        query = query.where(tuple_(Rental.opened_at, Rental.address) < decode_cursor(cursor))
    query = query.order_by(Rental.opened_at.desc(), Rental.address.desc()).limit(limit + 1)
    with database.connect() as connection:
        found = [Rental(**row) for row in connection.execute(query).mappings()]
        mints = payment_mints(connection)
    page = found[:limit]
    following = encode_cursor(page[-1].opened_at, page[-1].address) if len(found) > limit else None
    return JobPage(jobs=[job_of(rental, mints) for rental in page], next_cursor=following)


@router.get("/{id}", summary="One job with its history", responses=refusals(404, 422))
def get_job(database: Database, id: AddressText) -> JobDetail:
    """A job by the address of its rental, with its states, payments to its host and reported issues."""
    with database.connect() as connection:
        row = connection.execute(select(Rental.__table__).where(Rental.address == id)).mappings().first()
        if row is None:
            message = f"There is no job {id}."
            raise ApiError(404, "job_not_found", message, "Check the id; a new job appears once it is final.")
        states = select(RentalState.__table__).where(RentalState.rental == id).order_by(RentalState.seq)
        settlements = select(Settlement.__table__).where(Settlement.rental == id).order_by(Settlement.seq)
        issues = select(RentalIssue.__table__).where(RentalIssue.rental == id).order_by(RentalIssue.seq)
        return job_detail(
            Rental(**row),
            payment_mints(connection),
            [RentalState(**state) for state in connection.execute(states).mappings()],
            [Settlement(**settlement) for settlement in connection.execute(settlements).mappings()],
            [RentalIssue(**issue) for issue in connection.execute(issues).mappings()],
        )
