"""POST /api/jobs: an order for the renter's wallet to sign."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field
from solders.pubkey import Pubkey

from anchor_client.amounts import duration
from anchor_client.market.rental.plan import RentPlan
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.resources.base import BaseUnits
from anchor_client.rules.math import accrued_floor
from anchor_client.service.optional import optional
from indexer.api.actions.acts import REFUSALS, Act, Acting, Actor, UnsignedAct
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText, AmountText, GpuText, KindText, RegionText

router = StrictRouter(prefix="/api/jobs", tags=["jobs"])


class JobTerms(Act):
    """Terms that all orders for a machine share."""

    duration: int = Field(ge=1, lt=2**32, description="Seconds.", examples=[3600])
    pay: str = Field(default="GPUM", description="GPUM, SOL (wrapped automatically), or a payment mint's address.")
    max_cost: AmountText | None = Field(
        default=None, description="Maximum cost, base units; by default the quote + 1 %.", examples=["20000000"]
    )
    max_charges: AmountText | None = Field(
        default=None,
        description="Maximum traffic and storage charges, base units; escrowed if the listing charges for them.",
        examples=["5000000"],
    )
    storage_gb: int = Field(default=0, ge=0, lt=2**32, description="GB of persistent storage.")
    bid_usd: int = Field(
        default=0, ge=0, lt=2**32, description="Bid of a spot order, micro-USD per hour; 0 for the lowest winning bid."
    )
    spec_version: int | None = Field(
        default=None,
        ge=1,
        lt=2**32,
        description="The listing's version that you have seen; refused if it has changed. By default the current one.",
    )
    until_exit: bool = Field(
        default=False,
        description="True lets the host end the job once the order's command has ended; not for reserved orders.",
    )
    order_hash: str = Field(
        pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the order document, in hex.", examples=["ab" * 32]
    )

    def wanted(self, *, kind: str, listing: str | None = None) -> RentalWanted:
        """The same in the client's words."""
        return RentalWanted(
            duration=self.duration,
            pay=self.pay,
            order_hash=bytes.fromhex(self.order_hash),
            kind=kind,
            listing=optional(Pubkey.from_string, listing),
            max_cost=optional(int, self.max_cost),
            max_charges=int(self.max_charges or 0),
            storage_gb=self.storage_gb,
            bid_usd=self.bid_usd,
            spec_version=self.spec_version,
            until_exit=self.until_exit,
        )


class JobRequest(JobTerms):
    """An order for a machine. Without `listing` it takes the cheapest free one that fits."""

    kind: KindText = Field(default="on-demand", description="on-demand, spot or reserved.", examples=["on-demand"])
    gpu: GpuText | None = Field(default=None, examples=["nvidia-h100-pcie-80gb"])
    region: RegionText | None = Field(default=None, examples=["eu-west"])
    count: int | None = Field(default=None, ge=1, lt=2**16, description="GPUs in the machine.")
    listing: AddressText | None = Field(default=None, description="This machine and no other.")


class UnsignedOrder(UnsignedAct):
    """An order to sign and send, and its cost; `address` is the job's."""

    listing: str
    mint: str
    decimals: int
    deposit: BaseUnits = Field(description="Escrow at the current price.")
    max_cost: BaseUnits = Field(description="Maximum escrow when it lands.")
    subsidy: BaseUnits
    burn: BaseUnits = Field(description="Burn if it runs to its end.")
    fees: BaseUnits = Field(description="The market's fees of both sides if it runs to its end.")
    rate: BaseUnits = Field(description="The renter's price per hour.")


@router.post("", summary="An order to sign", responses=REFUSALS, operation_id="rental_open")
async def order_job(body: JobRequest, actor: Acting) -> UnsignedOrder:
    """Everything an order needs in one transaction: the renter's profile if it is the first, wrapped SOL, the rental.

    It has been simulated: the API refuses what the chain would refuse, with the same name.
    """
    wanted = body.wanted(kind=body.kind, listing=body.listing)
    wanted = replace(wanted, gpu=body.gpu, region=body.region, count=body.count)
    return await ordered(actor, body, await actor.market.rental.plan.open(body.signer, wanted))


async def ordered(actor: Actor, body: JobTerms, plan: RentPlan) -> UnsignedOrder:
    """The answer to an order that is planned."""
    says = f"Rent {plan.offer.address} for {duration(body.duration)}"
    headroom = {plan.mint: plan.max_deposit - plan.quote.deposit}
    act = await actor.answer(body, plan.instructions, says, address=plan.rental, headroom=headroom)
    payment_mint = await actor.market.reads.payment_mint(plan.mint)
    return UnsignedOrder(
        **dict(act),
        listing=str(plan.offer.address),
        mint=str(plan.mint),
        decimals=payment_mint.decimals,
        deposit=plan.quote.deposit,
        max_cost=plan.max_deposit,
        subsidy=plan.quote.subsidy,
        burn=plan.quote.burn_floor,
        fees=accrued_floor(plan.quote.rates.fee, body.duration),
        rate=plan.quote.rates.rate,
    )
