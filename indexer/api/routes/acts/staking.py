"""POST /api/rewards/...: acts of stakers."""

from __future__ import annotations

from pydantic import Field

from indexer.api.actions.acts import REFUSALS, Act, Acting, Amount, UnsignedAct
from indexer.api.http.strict import StrictRouter

router = StrictRouter(prefix="/api/rewards", tags=["staking"], responses=REFUSALS)


class Claim(Act):
    """Rewards to claim."""

    token: str = Field(default="GPUM", description="A symbol or a mint's address; SOL comes as SOL.")


class Funding(Amount):
    """Rewards to add."""

    token: str = Field(default="GPUM", description="A symbol or a mint's address; SOL is wrapped automatically.")


@router.post("/stake", summary="A stake to sign", operation_id="staking_stake")
async def stake(body: Amount, actor: Acting) -> UnsignedAct:
    """Stakes market tokens; they earn from the next epoch."""
    return await actor.prepare(body, lambda market: market.staking.stake(body.units), "Stake market tokens")


@router.post("/unstake", summary="An unstaking to sign", operation_id="staking_unstake")
async def unstake(body: Amount, actor: Acting) -> UnsignedAct:
    """Unstakes tokens; they can be withdrawn after one epoch's length."""
    says = f"Unstake {body.amount} base units of the market token"
    return await actor.prepare(body, lambda market: market.staking.unstake(body.units), says)


@router.post("/withdraw", summary="A withdrawal to sign", operation_id="staking_withdraw")
async def withdraw(body: Act, actor: Acting) -> UnsignedAct:
    """Withdraws all stake that has cooled down."""
    return await actor.prepare(body, lambda market: market.staking.withdraw(), "Withdraw cooled-down stake")


@router.post("/claim", summary="A claim to sign", operation_id="staking_claim")
async def claim(body: Claim, actor: Acting) -> UnsignedAct:
    """Claims all rewards in one token."""
    says = f"Claim the rewards in {body.token}"
    return await actor.prepare(body, lambda market: market.staking.claim(body.token), says)


@router.post("/compound", summary="A compounding to sign", operation_id="staking_compound")
async def compound(body: Act, actor: Acting) -> UnsignedAct:
    """Stakes the rewards in the market token."""
    return await actor.prepare(body, lambda market: market.staking.compound(), "Stake the rewards")


@router.post("/close", summary="A closing to sign", operation_id="staking_close")
async def close(body: Act, actor: Acting) -> UnsignedAct:
    """Closes the wallet's empty stake account and returns its rent."""
    return await actor.prepare(body, lambda market: market.staking.close(), "Close the stake account")


@router.post("/fund", summary="Rewards to sign", operation_id="staking_fund")
async def fund(body: Funding, actor: Acting) -> UnsignedAct:
    """Adds rewards for the next epoch. Anyone may sign."""
    return await actor.prepare(
        body, lambda market: market.staking.fund(body.token, body.units), f"Add rewards in {body.token}"
    )
