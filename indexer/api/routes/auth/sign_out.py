"""POST /api/auth/sign-out: ends a sign-in."""

from __future__ import annotations

import time

from indexer.accounts import sign_ins
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import BY_TOKEN, AccountWrite, SignedIn

router = StrictRouter(prefix="/api/auth", tags=["auth"])


@router.post("/sign-out", summary="Sign out", status_code=204, responses=refusals(401), dependencies=[BY_TOKEN])
async def sign_out(identity: SignedIn, write: AccountWrite) -> None:
    """Revokes the refresh tokens of this sign-in. Its access token is read-only until it expires."""
    await write(sign_ins.revoke, identity.sign_in or "", int(time.time()))
