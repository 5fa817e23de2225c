"""/api/auth/keys: API keys of a signed-in wallet."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from pydantic import BaseModel, Field

from anchor_client.service.shares import Nest
from indexer.accounts import api_keys
from indexer.accounts.api_keys import MAX_KEYS, Scope, TooManyKeys
from indexer.accounts.models import ApiKey
from indexer.accounts.secrets import KEY_PREFIX, digest_of, new_id, new_secret
from indexer.api.errors import NETWORK_FULL, ApiError, missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.identity.deps import BY_TOKEN, AccountRead, AccountWrite, SignedIn
from indexer.api.limits.middleware import holder_of
from indexer.api.routes.auth.tokens import no_store
from indexer.store.shares import NetworkFull

LONGEST_SECONDS = 10 * 365 * 86_400
CREATED = 201

router = StrictRouter(prefix="/api/auth/keys", tags=["auth"], dependencies=[BY_TOKEN, Depends(no_store)])
KeyId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", examples=["0" * 32])]


class NewKey(BaseModel):
    """Name, scopes and lifetime of a new key."""

    name: str = Field(min_length=1, max_length=64, pattern=r"^[\x20-\x7e]+$", examples=["billing script"])
    scopes: list[Scope] = Field(min_length=1, max_length=len(Scope), examples=[["read"]])
    expires_in: int | None = Field(
        default=None, ge=60, le=LONGEST_SECONDS, description="Seconds; null for a key that is valid until revoked."
    )


class Key(BaseModel):
    """An API key, without its secret. Moments are unix seconds."""

    id: str
    name: str
    scopes: list[Scope]
    created_at: int
    expires_at: int | None
    last_used_at: int | None = Field(description="To the minute.")


class CreatedKey(Key):
    """A new API key."""

    secret: str = Field(description="For the X-API-Key header. Shown only once.")


class Keys(BaseModel):
    """All API keys of a wallet."""

    keys: list[Key]


@router.post("", summary="Create an API key", status_code=CREATED, responses=refusals(400, 401, 409))
async def create_key(request: Request, asked: NewKey, identity: SignedIn, write: AccountWrite) -> CreatedKey:
    """Creates a key for scripts of the wallet, limited to its scopes."""
    now = int(time.time())
    secret = new_secret(KEY_PREFIX)
    key = ApiKey(
        id=new_id(),
        wallet=identity.wallet,
        name=asked.name,
        scopes=" ".join(scope for scope in Scope if scope in asked.scopes),
        digest=digest_of(secret),
        created_at=now,
        expires_at=None if asked.expires_in is None else now + asked.expires_in,
        **Nest.of(holder_of(request.scope))._asdict(),
    )
    try:
        await write(api_keys.create, key)
    except TooManyKeys:
        message = f"A wallet may have {MAX_KEYS} API keys."
        raise ApiError(409, "too_many_api_keys", message, "Revoke an unused one.") from None
    except NetworkFull:
        message = "Your network has its share of all API keys."
        raise ApiError(409, "network_full", message, NETWORK_FULL) from None
    return CreatedKey(**_told(key), secret=secret)


@router.get("", summary="Your API keys", responses=refusals(401))
async def list_keys(identity: SignedIn, read: AccountRead) -> Keys:
    """The wallet's keys, newest first, without their secrets."""
    return Keys(keys=[Key(**_told(key)) for key in await read(api_keys.listed, identity.wallet)])


@router.delete("/{id}", summary="Revoke an API key", status_code=204, responses=refusals(401, 404))
async def revoke_key(id: KeyId, identity: SignedIn, write: AccountWrite) -> None:
    """Revokes the key, effective immediately."""
    if not await write(api_keys.revoke, identity.wallet, id):
        raise missing("api_key", id)


def _told(key: ApiKey) -> dict[str, Any]:
    told = {name: getattr(key, name) for name in Key.model_fields}
    return {**told, "scopes": key.scopes.split()}
