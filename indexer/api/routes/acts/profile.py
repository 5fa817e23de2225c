"""POST /api/profile/...: a renter's profile, which the first order opens automatically."""

from __future__ import annotations

from anchor_client.generated.pdas import find_renter_profile
from indexer.api.actions.acts import REFUSALS, Act, Acting, UnsignedAct
from indexer.api.http.strict import StrictRouter

router = StrictRouter(prefix="/api/profile", tags=["jobs"], responses=REFUSALS)


@router.post("/register", summary="A registration to sign", operation_id="rental_register")
async def register(body: Act, actor: Acting) -> UnsignedAct:
    """Creates the wallet's profile; `address` is the profile's."""
    profile = find_renter_profile(body.signer, actor.market.program_id)[0]
    return await actor.prepare(
        body, lambda market: market.rental.register(), f"Register {body.wallet} as a renter", address=profile
    )


@router.post("/close", summary="A closing to sign", operation_id="rental_unregister")
async def close(body: Act, actor: Acting) -> UnsignedAct:
    """Closes the wallet's profile without jobs and returns its rent; its history is lost."""
    profile = find_renter_profile(body.signer, actor.market.program_id)[0]
    return await actor.prepare(
        body, lambda market: market.rental.unregister(), f"Close the profile of {body.wallet}", address=profile
    )
