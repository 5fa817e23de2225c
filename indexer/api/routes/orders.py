"""POST /api/jobs and DELETE /api/jobs/{id}: transactions for the renter's wallet to sign."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from solders.pubkey import Pubkey

from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.resources.base import BaseUnits
from anchor_client.transactions import UnsignedTransaction
from indexer.api.deps import MarketClient
from indexer.api.errors import refusals
from indexer.api.words import AddressText, AmountText, GpuText, IssueText, KindText, RegionText

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


class JobRequest(BaseModel):
    """What to rent. Without `listing` the cheapest free machine that fits is taken."""

    renter: AddressText = Field(description="The wallet that signs and pays.")
    duration: int = Field(ge=1, lt=2**32, description="Seconds.", examples=[3600])
    pay: str = Field(default="GPUM", description="GPUM, SOL (wrapped on the way), or a payment mint's address.")
    kind: KindText = Field(default="on-demand", description="on-demand, spot or reserved.", examples=["on-demand"])
    gpu: GpuText | None = Field(default=None, examples=["nvidia-h100-pcie-80gb"])
    region: RegionText | None = Field(default=None, examples=["eu-west"])
    count: int | None = Field(default=None, ge=1, lt=2**16, description="GPUs in the machine.")
    listing: AddressText | None = Field(default=None, description="This machine and no other.")
    max_cost: AmountText | None = Field(
        default=None, description="Most it may cost, base units; by default the quote and 1 %.", examples=["20000000"]
    )
    max_charges: AmountText | None = Field(
        default=None,
        description="Most that traffic and storage may cost besides, base units; goes into escrow where a listing "
        "charges for them.",
        examples=["5000000"],
    )
    storage_gb: int = Field(default=0, ge=0, lt=2**32, description="GB of persistent storage.")
    bid_usd: int = Field(
        default=0, ge=0, lt=2**32, description="What a spot order offers, micro-USD an hour; 0 the least that gets in."
    )
    spec_version: int | None = Field(
        default=None,
        ge=1,
        lt=2**32,
        description="The listing's that you have seen: refused once the machine is another; by default, as it is.",
    )
    order_hash: str = Field(
        pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the order document, in hex.", examples=["ab" * 32]
    )


class Unsigned(BaseModel):
    """A transaction to sign and send."""

    transaction: str = Field(description="Base64 of a versioned transaction with empty signatures.")
    blockhash: str
    last_valid_block_height: int = Field(description="It can land up to this block.")
    job: str = Field(description="Address of the rental.")


class UnsignedOrder(Unsigned):
    """An order to sign and send, and what it costs."""

    listing: str
    mint: str
    decimals: int
    deposit: BaseUnits = Field(description="What goes into escrow at the present price.")
    max_cost: BaseUnits = Field(description="The most that may go into escrow when it lands.")
    subsidy: BaseUnits
    burn: BaseUnits = Field(description="What is burned when it runs to its end.")
    rate: BaseUnits = Field(description="What the renter pays an hour.")


@router.post("", summary="An order to sign", responses=refusals(400, 404, 409, 422, 429, 502, 503))
async def order_job(request: JobRequest, market: MarketClient) -> UnsignedOrder:
    """Everything an order needs in one transaction: the renter's profile if it is the first, wrapped SOL, the rental.

    It has been simulated: what would be refused on chain is refused here, by the same name.
    """
    renter = Pubkey.from_string(request.renter)
    plan = await market.rental.plan.open(
        renter,
        RentalWanted(
            duration=request.duration,
            pay=request.pay,
            order_hash=bytes.fromhex(request.order_hash),
            kind=request.kind,
            gpu=request.gpu,
            region=request.region,
            count=request.count,
            listing=None if request.listing is None else Pubkey.from_string(request.listing),
            max_cost=None if request.max_cost is None else int(request.max_cost),
            max_charges=int(request.max_charges or 0),
            storage_gb=request.storage_gb,
            bid_usd=request.bid_usd,
            spec_version=request.spec_version,
        ),
    )
    payment_mint = await market.reads.payment_mint(plan.mint)
    return UnsignedOrder(
        **unsigned(await market.session.sender.unsigned(plan.instructions, renter), plan.rental),
        listing=str(plan.offer.address),
        mint=str(plan.mint),
        decimals=payment_mint.decimals,
        deposit=plan.quote.deposit,
        max_cost=plan.max_deposit,
        subsidy=plan.quote.subsidy,
        burn=plan.quote.burn_floor,
        rate=plan.quote.rates.rate,
    )


@router.delete("/{id}", summary="A stop to sign", responses=refusals(400, 404, 409, 422, 429, 502, 503))
async def stop_job(
    id: AddressText,
    market: MarketClient,
    issue: Annotated[
        IssueText | None, Query(description="What is wrong with the machine.", examples=["unreachable"])
    ] = None,
) -> Unsigned:
    """Ends the job: seconds used are paid and the rest is back in the same transaction. Its renter signs."""
    address = Pubkey.from_string(id)
    rental = await market.reads.rental(address)
    plan = await market.rental.plan.stop(rental.renter, address, issue=issue)
    return Unsigned(**unsigned(await market.session.sender.unsigned(plan.instructions, rental.renter), address))


def unsigned(transaction: UnsignedTransaction, job: Pubkey) -> dict[str, Any]:
    """The fields of an Unsigned."""
    return {
        "transaction": transaction.base64,
        "blockhash": str(transaction.blockhash),
        "last_valid_block_height": transaction.last_valid_block_height,
        "job": str(job),
    }
