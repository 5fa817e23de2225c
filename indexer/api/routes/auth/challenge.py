"""POST /api/auth/challenge: a message for a wallet to sign."""

from __future__ import annotations

import time

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from indexer.accounts.challenges import STATEMENT, VERSION, new_challenge
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import Keys, Terms
from indexer.api.routes.auth.tokens import no_store
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/auth", tags=["auth"], dependencies=[Depends(no_store)])


class ChallengeRequest(BaseModel):
    """The wallet that wants to sign in."""

    address: AddressText | None = Field(default=None, description="Null lets the wallet choose.")


class SignInInput(BaseModel):
    """The wallet standard's SolanaSignInInput: pass it to the wallet's `solana:signIn` unchanged."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    domain: str
    address: str | None = None
    statement: str
    uri: str
    version: str
    chain_id: str = Field(examples=["solana:mainnet"])
    nonce: str = Field(description="Valid once.")
    issued_at: str = Field(examples=["2026-01-01T00:00:00.000Z"])
    expiration_time: str = Field(examples=["2026-01-01T00:05:00.000Z"])


@router.post(
    "/challenge", summary="A message to sign in with", response_model_exclude_none=True, responses=refusals(400)
)
async def challenge(asked: ChallengeRequest, terms: Terms, keys: Keys) -> SignInInput:
    """Input for the message that the wallet shows and signs; POST /api/auth/sign-in takes it within five minutes."""
    return SignInInput(
        domain=terms.domain,
        address=asked.address,
        statement=STATEMENT,
        uri=terms.uri,
        version=VERSION,
        chain_id=terms.chain_id,
        **new_challenge(keys, int(time.time()))._asdict(),
    )
