"""The credentials of a request, in the two headers that may have one."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass

from starlette import types
from starlette.datastructures import Headers, MutableHeaders

from indexer.accounts import access_tokens, api_keys
from indexer.accounts.api_keys import USED_SECONDS, Scope
from indexer.accounts.errors import KeyInvalid, NotSignedIn, TokenInvalid
from indexer.accounts.models import ApiKey
from indexer.accounts.secrets import KEY_PREFIX, SECRET_PATTERN
from indexer.accounts.signing_keys import SigningKeys
from indexer.store.transactions import Reads, Writes

KEY_HEADER = "X-API-Key"
CREDENTIAL_HEADERS = (b"authorization", KEY_HEADER.lower().encode())
BEARER = re.compile(r"[Bb]earer ([A-Za-z0-9._~+/-]+=*)")
KEY = re.compile(KEY_PREFIX + SECRET_PATTERN)


@dataclass(frozen=True, slots=True)
class Identity:
    """A wallet, and by which sign-in or with which scopes of a key it asks."""

    wallet: str
    sign_in: str | None = None
    scopes: frozenset[str] = frozenset(Scope)


def has_credential(scope: types.Scope) -> bool:
    """True where a request may carry a credential; most do not."""
    return bool(scope.get("subprotocols")) or any(name in CREDENTIAL_HEADERS for name, _ in scope["headers"])


def credentials_of(scope: types.Scope) -> Headers:
    """The headers of a request. A browser cannot set those of a WebSocket: its credential is a subprotocol that it asks
    for, `bearer.TOKEN` or `key.KEY`."""
    headers = MutableHeaders(raw=list(scope["headers"]))
    for asked in scope.get("subprotocols", ()):
        kind, _, secret = asked.partition(".")
        if secret and kind == "bearer":
            headers.append("authorization", f"Bearer {secret}")
        elif secret and kind == "key":
            headers.append(KEY_HEADER, secret)
    return headers


class Credentials:
    """Identifies the caller. `audience` is the audience of access tokens."""

    def __init__(self, keys: SigningKeys, audience: str, reads: Reads, writes: Writes) -> None:
        self._keys = keys
        self._audience = audience
        self._reads = reads
        self._writes = writes
        self._touching: set[asyncio.Task[None]] = set()

    async def identify(self, headers: Headers) -> Identity | None:
        """Identity of the caller; None without a credential. Raises NotSignedIn for an invalid one, or for two."""
        authorization = headers.get("authorization")
        key = headers.get(KEY_HEADER)
        if authorization is not None and key is not None:
            raise NotSignedIn(
                "Both an access token and an API key were sent.", "two_credentials", "Send only one of them."
            )
        if authorization is not None:
            found = BEARER.fullmatch(authorization)
            if found is None:
                raise TokenInvalid("The Authorization header is not a bearer token.")
            claims = access_tokens.read(self._keys, self._audience, found[1])
            return Identity(claims.wallet, claims.sign_in)
        return None if key is None else await self._of_key(key)

    async def _of_key(self, secret: str) -> Identity:
        now = int(time.time())
        found = None
        if KEY.fullmatch(secret):
            found = await self._reads(api_keys.find, secret, now)
        if found is None:
            raise KeyInvalid("There is no such API key, or it has expired.")
        if found.last_used_at is None or now - found.last_used_at >= USED_SECONDS:
            self._touch(found, now)
        return Identity(found.wallet, scopes=frozenset(found.scopes.split()))

    def _touch(self, key: ApiKey, now: int) -> None:
        """Beside the request, which need not wait for its turn to write."""
        touching = asyncio.create_task(self._writes(api_keys.touch, key.id, now))
        self._touching.add(touching)
        touching.add_done_callback(self._touched)

    def _touched(self, task: asyncio.Task[None]) -> None:
        self._touching.discard(task)
        if not task.cancelled():
            task.exception()  # that the key works matters more than the note of its use
