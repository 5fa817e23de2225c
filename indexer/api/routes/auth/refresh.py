"""POST /api/auth/refresh: renewal of tokens."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel, Field

from indexer.accounts import sign_ins
from indexer.accounts.secrets import REFRESH_PREFIX, SECRET_PATTERN
from indexer.accounts.sign_ins import Grant
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import LIMITED, AccountWrite, Keys, Terms
from indexer.api.routes.auth.tokens import GrantedTokens, no_store, tokens_of

router = StrictRouter(prefix="/api/auth", tags=["auth"], dependencies=[Depends(no_store)])
RefreshText = Annotated[
    str, Field(pattern=f"^{REFRESH_PREFIX}{SECRET_PATTERN}$", examples=[f"{REFRESH_PREFIX}{'A' * 43}"])
]


class RefreshRequest(BaseModel):
    """The newest refresh token of a sign-in."""

    refresh_token: RefreshText


@router.post("/refresh", summary="Renew tokens", responses=refusals(400, 401), dependencies=[LIMITED])
async def refresh(asked: RefreshRequest, terms: Terms, keys: Keys, write: AccountWrite) -> GrantedTokens:
    """New tokens for a refresh token, which is valid once. Reuse revokes its whole sign-in."""
    now = int(time.time())
    renewed = await write(sign_ins.renew, asked.refresh_token, now)
    if not isinstance(renewed, Grant):
        raise renewed
    return tokens_of(renewed, keys, terms.domain, now)
