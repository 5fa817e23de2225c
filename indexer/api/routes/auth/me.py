"""GET /api/auth/me: the caller's wallet and roles."""

from __future__ import annotations

from typing import Literal

from fastapi import Depends
from pydantic import BaseModel, Field

from indexer.accounts.api_keys import Scope
from indexer.api.deps import ApiSettings
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import BY_KEY, BY_TOKEN, AnyIdentity, WalletStandings
from indexer.api.routes.auth.tokens import no_store

router = StrictRouter(prefix="/api/auth", tags=["auth"], dependencies=[Depends(no_store)])
Role = Literal["renter", "host", "staker", "operator"]


class Me(BaseModel):
    """A wallet and its roles, by the index and this API's settings."""

    wallet: str
    roles: list[Role] = Field(
        description="renter: has rented; host: offers a machine; staker: has stake; operator: of this API."
    )
    signed_in: bool = Field(description="True for a sign-in; false for an API key.")
    scopes: list[Scope] = Field(description="Permissions of this credential.")


@router.get("/me", summary="Your wallet and roles", responses=refusals(401), dependencies=[BY_TOKEN, BY_KEY])
async def me(identity: AnyIdentity, standings: WalletStandings, settings: ApiSettings) -> Me:
    """The credential's wallet, its roles and its permissions. Roles may be a minute old."""
    standing = await standings.of(identity.wallet)
    held: dict[Role, bool] = {
        "renter": standing.renter,
        "host": standing.host,
        "staker": standing.staker,
        "operator": identity.wallet in settings.operators.split(","),
    }
    return Me(
        wallet=identity.wallet,
        roles=[role for role, is_held in held.items() if is_held],
        signed_in=identity.sign_in is not None,
        scopes=[scope for scope in Scope if scope in identity.scopes],
    )
