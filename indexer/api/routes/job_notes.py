"""GET /api/jobs/{id}/notes: a host's message to the renter when it gave the job up."""

from __future__ import annotations

from base64 import b64encode

from pydantic import BaseModel, Field
from solders.pubkey import Pubkey
from solders.signature import Signature
from sqlalchemy import Connection, bindparam, select

from anchor_client.market.rental.note import sealed_notes
from indexer.api.deps import MarketClient, Read
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.words import REFUSABLE, AddressText
from indexer.models import Rental

router = StrictRouter(prefix="/api/jobs", tags=["jobs"])
GIVEN_UP = frozenset(reason.name.lower() for reason in REFUSABLE)
"""Why hosts give jobs up, in the index's words: with these they may leave the renter a note."""


class JobNotes(BaseModel):
    """Notes for a job's renter, from the transaction that ended the job."""

    job: str
    notes: list[str] = Field(
        description="Base64, sealed to the order's key like `connection`: an unverified sentence of the host. "
        "Empty if the host left no message or has not ended the job."
    )


ENDING = select(Rental.c.close_tx, Rental.c.close_reason).where(Rental.c.address == bindparam("job"))


@router.get("/{id}/notes", summary="The host's message", responses=refusals(404, 422, 429, 502, 503))
async def get_notes(id: AddressText, read: Read, market: MarketClient) -> JobNotes:
    """A host's notes when it gave a job up, from the memos of that transaction on the node."""
    ending = await read(_given_up_in, id)
    memo = None
    if ending is not None:
        memo = await market.session.history.memo(Pubkey.from_string(id), ending)
    return JobNotes(job=id, notes=[b64encode(each).decode() for each in sealed_notes(memo or "")])


def _given_up_in(connection: Connection, id: str) -> Signature | None:
    """The transaction in which its host gave a job up; None if it did not."""
    row = connection.execute(ENDING, {"job": id}).first()
    if row is None:
        raise missing("job", id)
    return Signature.from_string(row.close_tx) if row.close_reason in GIVEN_UP else None
