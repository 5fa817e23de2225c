"""POST /api/requests and /api/requests/{id}/...: orders that wait for a machine."""

from __future__ import annotations

from pydantic import Field
from solders.pubkey import Pubkey

from anchor_client.amounts import duration
from anchor_client.market.request.plan import MachineWanted
from anchor_client.resources.base import BaseUnits
from anchor_client.service.optional import optional
from indexer.api.actions.acts import REFUSALS, Act, Acting, UnsignedAct
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText, AmountText, GpuText, KindText, RegionText

router = StrictRouter(prefix="/api/requests", tags=["requests"], responses=REFUSALS)


class Wanted(Act):
    """A requested machine and its maximum cost."""

    gpu: GpuText = Field(examples=["nvidia-h100-pcie-80gb"])
    duration: int = Field(ge=1, lt=2**32, description="Seconds.", examples=[3600])
    pay: str = Field(default="GPUM", description="GPUM, SOL (wrapped automatically), or a payment mint's address.")
    max_usd: int = Field(ge=1, lt=2**53, description="Micro-USD per machine-hour.", examples=[2_500_000])
    order_hash: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the order document, in hex.")
    kind: KindText = Field(default="on-demand", description="on-demand or reserved.")
    count: int = Field(default=1, ge=1, lt=2**8, description="GPUs in the machine.")
    regions: list[RegionText] = Field(default=[], max_length=64, description="Allowed regions; any region if empty.")
    near: RegionText | None = Field(default=None, description="Region whose near machines are preferred.")
    min_score_bps: int = Field(default=0, ge=0, le=10_000)
    min_vram_gb: int = Field(default=0, ge=0, lt=2**16)
    min_cuda: int = Field(default=0, ge=0, lt=2**16, description="100 times major plus minor.")
    min_ram_gb: int = Field(default=0, ge=0, lt=2**32)
    min_disk_gb: int = Field(default=0, ge=0, lt=2**32)
    min_net_up_mbps: int = Field(default=0, ge=0, lt=2**32)
    min_net_down_mbps: int = Field(default=0, ge=0, lt=2**32)
    deposit: AmountText | None = Field(
        default=None, description="Escrowed, base units; by default the cost at `max_usd` without a subsidy + 10 %."
    )
    valid_for: int = Field(default=86_400, ge=1, lt=2**32, description="Seconds until it expires.")


class Match(Act):
    """The machine that the request gets."""

    listing: AddressText


class UnsignedRequest(UnsignedAct):
    """A request to sign and send, and its escrow; `address` is the request's."""

    mint: str
    decimals: int
    deposit: BaseUnits = Field(description="The escrow.")
    cost: BaseUnits = Field(description="Its cost at the maximum price and the token's current price.")


@router.post("", summary="A request to sign", operation_id="request_open")
async def open_request(body: Wanted, actor: Acting) -> UnsignedRequest:
    """Escrows an order for any machine that fits. The renter signs; `address` is the request's."""
    told = body.model_dump(exclude={"wallet", "version"})
    told |= {
        "order_hash": bytes.fromhex(body.order_hash),
        "deposit": optional(int, body.deposit),
    }
    plan = await actor.market.request.plan.open(body.signer, MachineWanted(**told))
    says = f"Request a machine with {body.count} {body.gpu} for {duration(body.duration)}"
    act = await actor.answer(body, plan.instructions, says, address=plan.request)
    return UnsignedRequest(
        **dict(act),
        mint=str(plan.mint),
        decimals=(await actor.market.reads.payment_mint(plan.mint)).decimals,
        deposit=plan.deposit,
        cost=plan.quote.deposit,
    )


@router.post("/{id}/cancel", summary="A cancellation to sign", operation_id="request_cancel")
async def cancel(id: AddressText, body: Act, actor: Acting) -> UnsignedAct:
    """Withdraws the request: deposit, rent and tips are refunded in the same transaction. Its renter signs."""
    request = Pubkey.from_string(id)
    return await actor.prepare(body, lambda market: market.request.cancel(request), f"Cancel request {id}", address=id)


@router.post("/{id}/match", summary="A match to sign", operation_id="request_match")
async def match(id: AddressText, body: Match, actor: Acting) -> UnsignedAct:
    """Matches the request with an idle machine that fits. Anyone may sign, for the tip once it starts."""
    request = Pubkey.from_string(id)
    listing = Pubkey.from_string(body.listing)
    says = f"Match request {id} with listing {body.listing}"
    return await actor.prepare(body, lambda market: market.request.match(request, listing), says, address=id)
