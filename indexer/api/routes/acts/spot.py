"""POST /api/marketplace/listings/{id}/spot/bid and /api/jobs/{id}/spot/withdraw: bids for a machine."""

from __future__ import annotations

from pydantic import Field
from solders.pubkey import Pubkey

from indexer.api.actions.acts import REFUSALS, Act, Acting, UnsignedAct
from indexer.api.http.strict import StrictRouter
from indexer.api.routes.acts.orders import JobTerms, UnsignedOrder, ordered
from indexer.api.words import AddressText, KindText

router = StrictRouter(tags=["spot"], responses=REFUSALS)


class BidRequest(JobTerms):
    """An order for one machine, free or held. A wallet raises its waiting order by bidding again."""

    kind: KindText = Field(
        default="spot", description="An order of another kind pays the full price and displaces spot."
    )


@router.post("/api/marketplace/listings/{id}/spot/bid", summary="A bid to sign", operation_id="spot_bid")
async def bid(id: AddressText, body: BidRequest, actor: Acting) -> UnsignedOrder:
    """Takes the machine when it is free; otherwise waits for it against its spot holder, in place of a lower bid."""
    plan = await actor.market.rental.plan.open(body.signer, body.wanted(kind=body.kind, listing=id))
    return await ordered(actor, body, plan)


@router.post("/api/jobs/{id}/spot/withdraw", summary="A withdrawal to sign", operation_id="spot_withdraw")
async def withdraw(id: AddressText, body: Act, actor: Acting) -> UnsignedAct:
    """Withdraws a waiting order, minus the holder's compensation. Its renter signs."""
    job = Pubkey.from_string(id)
    says = f"Withdraw the bid {id}"
    return await actor.prepare(body, lambda market: market.spot.withdraw(job), says, address=id)
