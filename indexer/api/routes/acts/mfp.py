"""POST /api/mfp/...: market tokens that a host locks against the extra fee."""

from __future__ import annotations

from indexer.api.actions.acts import REFUSALS, Act, Acting, Amount, UnsignedAct
from indexer.api.http.strict import StrictRouter

router = StrictRouter(prefix="/api/mfp", tags=["mfp"], responses=REFUSALS)


@router.post("/lock", summary="A lock to sign", operation_id="mfp_lock")
async def lock(body: Amount, actor: Acting) -> UnsignedAct:
    """Locks market tokens, for new rentals. The host signs."""
    return await actor.prepare(body, lambda market: market.mfp.lock(body.units), "Lock market tokens")


@router.post("/unlock", summary="An unlocking to sign", operation_id="mfp_unlock")
async def unlock(body: Amount, actor: Acting) -> UnsignedAct:
    """Unlocks tokens; they can be withdrawn after the delay. The host signs."""
    says = f"Unlock {body.amount} base units of the market token"
    return await actor.prepare(body, lambda market: market.mfp.unlock(body.units), says)


@router.post("/withdraw", summary="A withdrawal to sign", operation_id="mfp_withdraw")
async def withdraw(body: Act, actor: Acting) -> UnsignedAct:
    """Withdraws all unlocked tokens. The host signs."""
    return await actor.prepare(body, lambda market: market.mfp.withdraw(), "Withdraw unlocked market tokens")
