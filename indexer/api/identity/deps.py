"""Dependencies of routes for signed-in wallets."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader, HTTPBearer

from indexer.accounts import sign_ins
from indexer.accounts.challenges import SignInTerms
from indexer.accounts.errors import NotSignedIn, TokenInvalid
from indexer.accounts.signing_keys import SigningKeys
from indexer.api.deps import of_application
from indexer.api.identity.credentials import KEY_HEADER, Identity
from indexer.api.identity.standings import Standings
from indexer.api.limits.middleware import IDENTITY
from indexer.api.limits.routes import take_sign_in
from indexer.store.transactions import Reads, Writes

BEARER = HTTPBearer(
    scheme_name="accessToken", bearerFormat="JWT", description="From POST /api/auth/sign-in.", auto_error=False
)
API_KEY = APIKeyHeader(scheme_name="apiKey", name=KEY_HEADER, description="From POST /api/auth/keys.", auto_error=False)


async def _identity(request: Request) -> Identity:
    identity: Identity | None = getattr(request.state, IDENTITY, None)
    if identity is None:
        raise NotSignedIn("This needs an access token or an API key.")
    return identity


async def _signed_in(request: Request) -> Identity:
    """Not a script: a leaked key must not make others, and a sign-out takes effect immediately."""
    identity = await _acting(request)
    if identity.sign_in is None:
        raise NotSignedIn("This needs an access token; an API key is not accepted.")
    return identity


async def _acting(request: Request) -> Identity:
    """Also a script, by its key's scopes; a sign-out takes effect immediately."""
    identity = await _identity(request)
    if identity.sign_in is None:
        return identity
    reads: Reads = request.app.state.account_reads
    if not await reads(sign_ins.is_live, identity.sign_in, int(time.time())):
        raise TokenInvalid("The sign-in has ended.")
    return identity


ActingIdentity = Annotated[Identity, Depends(_acting)]
AnyIdentity = Annotated[Identity, Depends(_identity)]
SignedIn = Annotated[Identity, Depends(_signed_in)]
AccountRead = Annotated[Reads, Depends(of_application("account_reads"))]
AccountWrite = Annotated[Writes, Depends(of_application("account_writes"))]
Keys = Annotated[SigningKeys, Depends(of_application("signing_keys"))]
Terms = Annotated[SignInTerms, Depends(of_application("sign_in_terms"))]
WalletStandings = Annotated[Standings, Depends(of_application("standings"))]
BY_TOKEN = Depends(BEARER)
BY_KEY = Depends(API_KEY)
"""For the description: the identity is known by then."""
LIMITED = Depends(take_sign_in)
