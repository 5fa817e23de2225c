"""POST /api/jobs/{id}/charges/... and /api/marketplace/listings/{id}/charges: traffic and storage."""

from __future__ import annotations

from pydantic import Field
from solders.pubkey import Pubkey

from anchor_client.generated.types import Charges
from indexer.api.actions.acts import REFUSALS, Act, Acting, UnsignedAct
from indexer.api.actions.idl_bodies import body_of, value_of
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText, AmountText

router = StrictRouter(tags=["charges"], responses=REFUSALS)
Job = AddressText
ChargesBody = body_of(Charges)


class Prices(Act):
    """Charges of a listing beyond its price, for new meters."""

    charges: ChargesBody  # type: ignore[valid-type]


class Cap(Act):
    """Cap on traffic and storage charges."""

    cap: AmountText = Field(description="Base units of the job's mint; goes into escrow.", examples=["5000000"])
    storage_gb: int = Field(default=0, ge=0, lt=2**32)


class Usage(Act):
    """Total usage of the job since its meter opened."""

    bandwidth_mb: int = Field(ge=0, lt=2**53)
    storage_gb_hours: int = Field(default=0, ge=0, lt=2**53)


@router.post("/api/marketplace/listings/{id}/charges", summary="Charges to sign", operation_id="charges_set")
async def set_charges(id: AddressText, body: Prices, actor: Acting) -> UnsignedAct:
    """Sets a listing's charges for traffic and storage. Its host signs."""
    listing = Pubkey.from_string(id)
    charges = value_of(Charges, body.charges)
    says = f"Set the charges of listing {id}"
    return await actor.prepare(body, lambda market: market.charges.set(listing, charges), says, address=id)


@router.post("/api/jobs/{id}/charges/open", summary="A cap to sign", operation_id="charges_open")
async def open_meter(id: Job, body: Cap, actor: Acting) -> UnsignedAct:
    """Escrows a cap on the job's charges, at the listing's unit prices. Its renter signs."""
    job = Pubkey.from_string(id)
    says = f"Cap the charges of job {id}"
    return await actor.prepare(
        body, lambda market: market.charges.open(job, int(body.cap), storage_gb=body.storage_gb), says, address=id
    )


@router.post("/api/jobs/{id}/charges/report", summary="A report to sign", operation_id="charges_report")
async def report(id: Job, body: Usage, actor: Acting) -> UnsignedAct:
    """Reports the job's usage. The listing's operator signs, or its owner once it is closed."""
    job = Pubkey.from_string(id)
    says = f"Report the usage of job {id}"
    return await actor.prepare(
        body, lambda market: market.charges.report(job, body.bandwidth_mb, body.storage_gb_hours), says, address=id
    )


@router.post("/api/jobs/{id}/charges/dispute", summary="A dispute to sign", operation_id="charges_dispute")
async def dispute(id: Job, body: Act, actor: Acting) -> UnsignedAct:
    """Freezes the pending usage. The job's renter signs."""
    job = Pubkey.from_string(id)
    says = f"Dispute the usage of job {id}"
    return await actor.prepare(body, lambda market: market.charges.dispute(job), says, address=id)


@router.post("/api/jobs/{id}/charges/accept", summary="An acceptance to sign", operation_id="charges_accept")
async def accept(id: Job, body: Act, actor: Acting) -> UnsignedAct:
    """Accepts all reported usage. The job's renter signs."""
    job = Pubkey.from_string(id)
    says = f"Accept the usage of job {id}"
    return await actor.prepare(body, lambda market: market.charges.accept(job), says, address=id)


@router.post("/api/jobs/{id}/charges/close", summary="A closing to sign", operation_id="charges_close")
async def close(id: Job, body: Act, actor: Acting) -> UnsignedAct:
    """Pays the amount due and returns the rest of the cap once the job has ended. Anyone may sign."""
    job = Pubkey.from_string(id)
    says = f"Close the meter of job {id}"
    return await actor.prepare(body, lambda market: market.charges.close(job), says, address=id)
