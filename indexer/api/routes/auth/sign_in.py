"""POST /api/auth/sign-in: tokens for a signed challenge."""

from __future__ import annotations

import time
from base64 import b64decode
from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema
from solders.signature import Signature
from sqlalchemy import Connection

from anchor_client.api.sign_in import SignInMessage
from anchor_client.service.shares import Nest
from indexer.accounts import challenges, sign_ins
from indexer.accounts.sign_ins import Grant
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import LIMITED, AccountWrite, Keys, Terms
from indexer.api.limits.middleware import address_of
from indexer.api.routes.auth.tokens import GrantedTokens, no_store, tokens_of
from indexer.api.words import BASE64_PATTERN, SIGNATURE_PATTERN, AddressText

MAX_MESSAGE = 2_048
"""Characters of base64."""

router = StrictRouter(prefix="/api/auth", tags=["auth"], dependencies=[Depends(no_store)])


def _bytes_of(text: object) -> bytes:
    if not isinstance(text, str) or len(text) > MAX_MESSAGE:
        raise ValueError("not base64 text of a message")
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise ValueError("not base64") from error


SignedMessage = Annotated[
    bytes,
    BeforeValidator(_bytes_of),
    WithJsonSchema(
        {"type": "string", "contentEncoding": "base64", "pattern": BASE64_PATTERN, "maxLength": MAX_MESSAGE}
    ),
]


class SignInOutput(BaseModel):
    """The wallet standard's SolanaSignInOutput, its bytes as text."""

    address: AddressText
    signed_message: SignedMessage = Field(
        description="Base64 of `signedMessage`: the text, or an off-chain message's envelope of it."
    )
    signature: str = Field(pattern=SIGNATURE_PATTERN, description="Base58.", examples=["1" * 64])


@router.post("/sign-in", summary="Sign in with a wallet", responses=refusals(400, 401), dependencies=[LIMITED])
async def sign_in(
    request: Request, signed: SignInOutput, terms: Terms, keys: Keys, write: AccountWrite
) -> GrantedTokens:
    """Tokens for the wallet that signed a challenge; each challenge is valid once."""
    now = int(time.time())
    message = challenges.verify(
        terms, keys, signed.address, signed.signed_message, _signature_of(signed.signature), now
    )
    grant = await write(_begin, message, now, Nest.of(address_of(request.scope)))
    return tokens_of(grant, keys, terms.domain, now)


def _signature_of(text: str) -> Signature:
    """The signature; one that no wallet makes for a text of another length."""
    try:
        return Signature.from_string(text)
    except ValueError:
        return Signature.default()


def _begin(connection: Connection, message: SignInMessage, now: int, nest: Nest) -> Grant:
    challenges.use(connection, message)
    return sign_ins.begin(connection, message.address, now, nest)
