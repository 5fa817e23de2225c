"""POST /api/marketplace/listings...: machines that a host offers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.constants import MAX_KEEP_DAYS
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types import ListingSpec
from anchor_client.rules.catalog import gpu_number, region_number
from indexer.api.actions.acts import REFUSALS, Act, Acting, UnsignedAct
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText, ListedGpuText, ListedRegionText

router = StrictRouter(prefix="/api/marketplace/listings", tags=["listings"], responses=REFUSALS)
DISKS = ("nvme", "ssd", "hdd")


class Spec(BaseModel):
    """Specification of a machine, as stated by its host."""

    model_config = ConfigDict(extra="forbid")

    gpu: ListedGpuText = Field(
        examples=["nvidia-h100-pcie-80gb"], description="A model of the catalog, or the number of another."
    )
    gpu_count: int = Field(ge=1, lt=2**8)
    vram_gb: int = Field(ge=1, lt=2**16)
    region: ListedRegionText = Field(examples=["eu-west"])
    cpu_cores: int = Field(ge=0, lt=2**16)
    ram_gb: int = Field(ge=0, lt=2**32)
    disk_kind: Literal["nvme", "ssd", "hdd"]
    disk_gb: int = Field(ge=0, lt=2**32)
    disk_mbps: int = Field(ge=0, lt=2**32)
    net_up_mbps: int = Field(ge=0, lt=2**32)
    net_down_mbps: int = Field(ge=0, lt=2**32)
    cuda: int = Field(ge=0, lt=2**16, description="100 times major plus minor.")
    on_demand_usd: int = Field(ge=0, lt=2**53, description="Micro-USD per machine-hour.")
    spot_min_usd: int = Field(default=0, ge=0, lt=2**53, description="Minimum spot bid; 0 for no spot.")
    mrl_seconds: int = Field(ge=0, lt=2**32, description="Longest rental.")
    visible: bool = True
    keep_days: int = Field(default=0, ge=0, le=MAX_KEEP_DAYS, description="Days for which workspaces are kept.")

    def spec(self) -> ListingSpec:
        """The same in the program's form. UnknownGpu, UnknownRegion."""
        told = self.model_dump(exclude={"gpu", "region", "disk_kind"})
        gpu = gpu_number(self.gpu)
        region = region_number(self.region)
        return ListingSpec(gpu_model=gpu, region=region, disk_kind=DISKS.index(self.disk_kind), **told)


class MachineOffer(Act):
    """A machine and its terms."""

    spec: Spec


class RentalPrices(Act):
    """Prices of new rentals."""

    on_demand_usd: int = Field(ge=0, lt=2**53, description="Micro-USD per machine-hour.", examples=[2_500_000])
    spot_min_usd: int | None = Field(default=None, ge=0, lt=2**53, description="By default unchanged; 0 for no spot.")


@router.post("", summary="A listing to sign", operation_id="host_create_listing")
async def create(body: MachineOffer, actor: Acting) -> UnsignedAct:
    """Lists a machine under the host's next number; `address` is the listing's. The host signs."""
    reads = actor.market.reads
    spec = body.spec.spec()
    number = (await reads.host(body.signer)).next_listing
    program = reads.program_id
    listing = find_listing(find_host(body.signer, program)[0], number, program)[0]
    says = f"List a machine with {body.spec.gpu_count} {body.spec.gpu} at {usd(spec.on_demand_usd)} an hour"
    return await actor.prepare(body, lambda market: market.host.create_listing(spec), says, address=listing)


@router.post("/{id}/update", summary="A change to sign", operation_id="host_update_listing")
async def update(id: AddressText, body: MachineOffer, actor: Acting) -> UnsignedAct:
    """Changes a listing; running rentals keep their terms. Its host signs."""
    listing = Pubkey.from_string(id)
    spec = body.spec.spec()
    says = f"Change listing {id}"
    return await actor.prepare(body, lambda market: market.host.update_listing(listing, spec), says, address=id)


@router.post("/{id}/price", summary="Prices to sign", operation_id="host_update_price")
async def price(id: AddressText, body: RentalPrices, actor: Acting) -> UnsignedAct:
    """Changes a listing's prices for new rentals. Its host signs."""
    listing = Pubkey.from_string(id)
    says = f"Offer listing {id} at {usd(body.on_demand_usd)} an hour"
    return await actor.prepare(
        body,
        lambda market: market.host.update_price(listing, body.on_demand_usd, body.spot_min_usd),
        says,
        address=id,
    )


@router.post("/{id}/close", summary="A closing to sign", operation_id="host_close_listing")
async def close(id: AddressText, body: Act, actor: Acting) -> UnsignedAct:
    """Closes an idle listing and returns its rent. Its host signs."""
    listing = Pubkey.from_string(id)
    return await actor.prepare(
        body, lambda market: market.host.close_listing(listing), f"Close listing {id}", address=id
    )


@router.post("/{id}/payout", summary="A payout to sign", operation_id="host_claim_payout")
async def payout(id: AddressText, body: Act, actor: Acting) -> UnsignedAct:
    """Pays the listing's debt to its host, so that it takes orders again. Anyone may sign."""
    listing = Pubkey.from_string(id)
    says = f"Claim the debt of listing {id} to its host"
    return await actor.prepare(body, lambda market: market.host.claim_payout(listing), says, address=id)


@router.post("/{id}/refresh", summary="A refresh to sign", operation_id="mfp_refresh_listing")
async def refresh(id: AddressText, body: Act, actor: Acting) -> UnsignedAct:
    """Updates the listing to the catalog's current points and reference price. Anyone may sign."""
    listing = Pubkey.from_string(id)
    says = f"Refresh listing {id} from the catalog"
    return await actor.prepare(body, lambda market: market.mfp.refresh_listing(listing), says, address=id)
