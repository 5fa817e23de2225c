"""Signing in to the market's API with a wallet, and its API keys."""

from __future__ import annotations

import time
from base64 import b64encode
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

import msgspec
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.api.sign_in import SignInMessage
from anchor_client.errors import ApiRefused, UnreachableApi, WrongApi
from anchor_client.service.optional import optional
from anchor_client.service.redaction import Endpoint
from anchor_client.solana.http.answer import HttpAnswer, HttpFailure, NoHttpUrl
from anchor_client.solana.http.client import HttpClient
from anchor_client.solana.wallet import Wallet

SECONDS: Final = 10.0
EARLY_SECONDS: Final = 30
"""So long before its end a token is renewed."""
T = TypeVar("T")


class SignInTokens(msgspec.Struct):
    """Tokens of a sign-in; `expires_at` is the access token's, in unix seconds."""

    wallet: str
    access_token: str
    refresh_token: str
    expires_in: int
    expires_at: float = 0.0

    @property
    def is_current(self) -> bool:
        """True until EARLY_SECONDS before the access token expires."""
        return time.time() < self.expires_at - EARLY_SECONDS


class Challenge(msgspec.Struct, rename="camel"):
    """Challenge that the API asks a wallet to sign."""

    domain: str
    address: str
    statement: str
    uri: str
    version: str
    chain_id: str
    nonce: str
    issued_at: str
    expiration_time: str

    def message(self) -> SignInMessage:
        """Parses a sign-in message. ValueError for other text."""
        return SignInMessage(**msgspec.structs.asdict(self))


class ApiKey(msgspec.Struct):
    """An API key; moments are unix seconds. A new one has its secret."""

    id: str
    name: str
    scopes: list[str]
    created_at: int
    expires_at: int | None
    last_used_at: int | None
    secret: str | None = None


class ApiKeys(msgspec.Struct):
    """All of a wallet's."""

    keys: list[ApiKey]


class AccountsApi:
    """Asks the API at a URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    def __init__(self, api_url: str) -> None:
        self._host = urlsplit(api_url).netloc.rpartition("@")[2]
        self._endpoint = Endpoint(api_url)
        self._http = HttpClient(api_url, timeout=SECONDS)

    async def sign_in(self, wallet: Wallet) -> SignInTokens:
        """Signs what the API asks for, if that is for the API itself. WrongApi when it is for another."""
        text = await self.challenge(wallet.pubkey)
        return await self.signed_in(wallet.pubkey, text, wallet.keypair.sign_message(text))

    async def challenge(self, wallet: Pubkey) -> bytes:
        """The text to sign in with, if it is for the API itself. WrongApi when it is for another."""
        asked = await self.ask("POST", "/api/auth/challenge", Challenge, {"address": str(wallet)})
        if not f".{self._host}".endswith(f".{asked.domain}") or asked.address != str(wallet):
            raise WrongApi(f"{self._endpoint} asks for a signature for another domain: {asked.domain}")
        try:
            return str(asked.message()).encode()
        except ValueError as error:
            raise WrongApi(f"{self._endpoint} does not ask for a sign-in") from error

    async def signed_in(self, wallet: Pubkey, text: bytes, signature: Signature) -> SignInTokens:
        """The tokens for a text that the wallet has signed."""
        body = {"address": str(wallet), "signed_message": b64encode(text).decode(), "signature": str(signature)}
        return _dated(await self.ask("POST", "/api/auth/sign-in", SignInTokens, body))

    async def refresh(self, tokens: SignInTokens) -> SignInTokens:
        """The next tokens; the old ones count no more."""
        return _dated(
            await self.ask("POST", "/api/auth/refresh", SignInTokens, {"refresh_token": tokens.refresh_token})
        )

    async def create_key(self, tokens: SignInTokens, name: str, scopes: list[str], expires_in: int | None) -> ApiKey:
        """A new key, with its secret."""
        return await self.ask(
            "POST", "/api/auth/keys", ApiKey, {"name": name, "scopes": scopes, "expires_in": expires_in}, tokens
        )

    async def list_keys(self, tokens: SignInTokens) -> list[ApiKey]:
        """The wallet's keys, newest first."""
        return (await self.ask("GET", "/api/auth/keys", ApiKeys, None, tokens)).keys

    async def revoke_key(self, tokens: SignInTokens, id: str) -> None:
        """Ends a key."""
        await self.ask("DELETE", f"/api/auth/keys/{id}", object, None, tokens)

    async def ask(
        self, method: str, path: str, kind: type[T], document: dict[str, Any] | None, tokens: SignInTokens | None = None
    ) -> T:
        """Answer of a path to the wallet of `tokens`, or to anyone without."""
        if tokens is None:
            headers = {}
        else:
            headers = {"Authorization": f"Bearer {tokens.access_token}"}
        body = optional(msgspec.json.encode, document)
        try:
            answer = await self._http.request(method, path, body=body, headers=headers)
        except NoHttpUrl as error:
            raise WrongApi(f"{str(self._endpoint)!r} is not a URL of a market's API") from error
        except HttpFailure as error:
            raise UnreachableApi(f"{self._endpoint} cannot be reached") from error
        if not answer.is_success:
            raise self._failure(answer)
        try:
            return msgspec.json.decode(answer.text or "null", type=kind)
        except msgspec.MsgspecError as error:
            raise WrongApi(f"{self._endpoint} does not answer as a market's API") from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.close()

    def _failure(self, answer: HttpAnswer) -> ApiRefused | UnreachableApi | WrongApi:
        try:
            told = msgspec.json.decode(answer.text, type=_Refusal)
        except msgspec.MsgspecError:
            message = f"{self._endpoint} answers with HTTP status {answer.status}"
            return UnreachableApi(message) if answer.is_server_error else WrongApi(message)
        return ApiRefused(told.detail, told.error, told.remedy)


class _Refusal(msgspec.Struct):
    error: str
    detail: str
    remedy: str


def _dated(tokens: SignInTokens) -> SignInTokens:
    tokens.expires_at = time.time() + tokens.expires_in
    return tokens
