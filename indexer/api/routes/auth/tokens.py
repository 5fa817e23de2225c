"""The response of a sign-in and of a refresh."""

from __future__ import annotations

from fastapi import Response
from pydantic import BaseModel, Field

from indexer.accounts import access_tokens
from indexer.accounts.access_tokens import ACCESS_SECONDS, AccessClaims
from indexer.accounts.sign_ins import Grant
from indexer.accounts.signing_keys import SigningKeys


class GrantedTokens(BaseModel):
    """Tokens of a wallet. Each refresh token is valid once; reuse ends the sign-in."""

    wallet: str
    access_token: str = Field(description="For the Authorization header, after `Bearer`.")
    token_type: str = Field(default="Bearer", examples=["Bearer"])
    expires_in: int = Field(default=ACCESS_SECONDS, description="Lifetime of the access token, seconds.")
    refresh_token: str


async def no_store(response: Response) -> None:
    """Keeps an answer with secrets out of caches."""
    response.headers["Cache-Control"] = "no-store"


def tokens_of(grant: Grant, keys: SigningKeys, audience: str, now: int) -> GrantedTokens:
    """The answer to a grant."""
    token = access_tokens.issue(keys, audience, AccessClaims(grant.wallet, grant.sign_in), now)
    return GrantedTokens(wallet=grant.wallet, access_token=token, refresh_token=grant.refresh_token)
