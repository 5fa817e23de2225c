"""PUT /api/marketplace/listings/{id}/figures: a host's measurements of a machine."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from solders.pubkey import Pubkey
from solders.signature import Signature
from sqlalchemy import Connection, delete, insert, select

from anchor_client.errors import FiguresNotSigned
from anchor_client.machine import figures as client
from anchor_client.rules.driver import PATTERN, driver_rank
from anchor_client.service.optional import optional
from indexer.api.deps import Write
from indexer.api.errors import ApiError, missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.words import MILLISECONDS, SIGNATURE_PATTERN, AddressText, SignedAt, signature_or
from indexer.changes.writer import write_changes
from indexer.models import Listing, MachineFigures

router = StrictRouter(prefix="/api/marketplace/listings", tags=["market"])

MOST_SECONDS = 300
"""Most seconds between signing and receipt, either way: clocks may be off, and figures on their way."""


SignatureText = Annotated[
    str,
    Field(pattern=SIGNATURE_PATTERN, description="The operator's signature, in base58.", examples=["1" * 64]),
    signature_or(FiguresNotSigned),
]
Rate = Annotated[int | None, Field(ge=1, le=10**9)]


class NewFigures(BaseModel):
    """GPU figures are the slowest GPU's; null if not measured. Rates are 10^9 operations, MB and Mbit per second."""

    model_config = ConfigDict(extra="forbid")

    spec_version: int = Field(ge=0, lt=2**32, description="The listing's version at the measurement.")
    tested: bool = Field(False, description="True if the machine has passed its host's own test.")
    driver: str | None = Field(None, pattern=PATTERN, examples=["570.86.15"])
    pcie_generation: int | None = Field(None, ge=1, le=9)
    pcie_width: int | None = Field(None, ge=1, le=32)
    fp32_gflops: Rate = None
    gemm_gflops: Rate = None
    vram_mb_per_second: Rate = None
    pcie_mb_per_second: Rate = None
    disk_mbps: Rate = Field(None, description="MB a second, written.")
    network_mbps: Rate = Field(None, description="Mbit a second, downloaded.")


class PublishedFigures(BaseModel):
    """Figures signed by the listing's operator: text of three lines, `gpu-market figures LISTING`, `sha256 DIGEST` in
    hex, of the figures as JSON with sorted keys, no spaces and all nulls, and `signed at SIGNED_AT`."""

    figures: NewFigures
    signed_at: SignedAt
    signature: SignatureText


class FiguresReceipt(BaseModel):
    """Confirms that figures are stored."""

    received_at: int = Field(description="Unix seconds.")


@router.put(
    "/{id}/figures",
    summary="Publish a machine's measurements",
    responses=refusals(400, 403, 404, 409, 413, 422, 429, 503),
)
async def put_figures(id: AddressText, posted: PublishedFigures, write: Write) -> FiguresReceipt:
    """Stores the host's figures and replaces older ones; they are shown while the machine's specs stay the same. The
    listing's operator signs them; a repetition changes nothing.
    """
    now = int(time.time())
    age = now - posted.signed_at // MILLISECONDS
    if abs(age) > MOST_SECONDS:
        message = f"The figures were signed {abs(age)} s {'ago' if age > 0 else 'from now'}."
        raise ApiError(409, "figures_untimely", message, "Set the signing machine's clock, and sign them again.")
    figures = client.Figures(**posted.figures.model_dump())
    signature = Signature.from_string(posted.signature)
    await write(_keep, client.SignedFigures(Pubkey.from_string(id), figures, posted.signed_at, signature))
    return FiguresReceipt(received_at=now)


def _keep(connection: Connection, signed: client.SignedFigures) -> None:
    listing = str(signed.listing)
    figures = signed.figures
    served = select(Listing.c.operator, Listing.c.spec_version).where(
        Listing.c.address == listing, Listing.c.closed_at == 0
    )
    row = connection.execute(served).first()
    if row is None:
        raise missing("listing", listing)
    signed.verify(Pubkey.from_string(row.operator))
    if row.spec_version != figures.spec_version:
        message = f"The listing has version {row.spec_version}, but the figures have {figures.spec_version}."
        raise ApiError(409, "figures_outdated", message, "Measure the machine with its current listing.")
    own = MachineFigures.c.listing == listing
    before = connection.execute(select(MachineFigures.c.signed_at).where(own)).scalar()
    if before is not None and before > signed.signed_at:
        message = "Figures with a later signature exist."
        raise ApiError(409, "figures_superseded", message, "Measure the machine again if it has changed since.")
    connection.execute(delete(MachineFigures.table).where(own))
    rank = optional(driver_rank, figures.driver)
    values = {"signed_at": signed.signed_at, "signature": str(signed.signature), "driver_rank": rank}
    connection.execute(insert(MachineFigures.table).values(listing=listing, **asdict(figures), **values))
    write_changes(connection, {MachineFigures.table.name})
