"""Sealed orders by way of the market's API, which keeps them for the host."""

from __future__ import annotations

from base64 import b64decode, b64encode
from types import TracebackType
from typing import Final, Self

import msgspec
from pydantic import BaseModel, ValidationError
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.errors import ApiRefused, UnreachableApi, WrongApi
from anchor_client.http.answer import HttpAnswer, HttpFailure, NoHttpUrl, TooSlow
from anchor_client.http.client import HttpClient
from anchor_client.orders.delivery import SealedOrder
from anchor_client.redaction import Endpoint

SECONDS: Final = 10.0
"""How long the API may take to answer before it counts as unreachable."""
NOT_DELIVERED: Final = "order_not_found"
"""The name of the API's error for an order it does not have."""


class _Kept(BaseModel):
    sealed: str
    signed_at: int
    signature: str


class _Refusal(BaseModel):
    error: str
    detail: str
    remedy: str


class SealedOrderApi:
    """Delivers and finds orders at an API's URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    def __init__(self, api_url: str) -> None:
        self._endpoint = Endpoint(api_url)
        self._http = HttpClient(api_url, timeout=SECONDS)

    async def deliver(self, order: SealedOrder) -> None:
        """Hands an order over; one that the renter signed before it is replaced."""
        kept = {
            "sealed": b64encode(order.sealed).decode(),
            "signed_at": order.signed_at,
            "signature": str(order.signature),
        }
        answer = await self._ask("PUT", order.renter, order.order_hash, kept)
        if not answer.is_success:
            raise self._failure(answer)

    async def find(self, renter: Pubkey, order_hash: bytes) -> bytes | None:
        """The sealed order of a renter's rental; None while it has not been delivered. OrderNotSigned."""
        answer = await self._ask("GET", renter, order_hash)
        if not answer.is_success:
            refusal = _refusal(answer)
            if refusal is not None and refusal.error == NOT_DELIVERED:
                return None
            raise self._failure(answer)
        try:
            kept = _Kept.model_validate_json(answer.text)
            sealed = b64decode(kept.sealed, validate=True)
            signature = Signature.from_string(kept.signature)
        except ValueError as error:
            raise WrongApi(f"{self._endpoint} does not answer with an order") from error
        SealedOrder(renter, order_hash, sealed, kept.signed_at, signature).verify()
        return sealed

    async def close(self) -> None:
        """Ends the connection."""
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _ask(
        self, method: str, renter: Pubkey, order_hash: bytes, document: dict[str, object] | None = None
    ) -> HttpAnswer:
        path = f"/api/sealed-orders/{renter}/{order_hash.hex()}"
        body = None if document is None else msgspec.json.encode(document)
        try:
            return await self._http.request(method, path, body=body)
        except NoHttpUrl as error:
            raise WrongApi(f"{str(self._endpoint)!r} is not a URL of a market's API") from error
        except TooSlow as error:
            raise UnreachableApi(f"{self._endpoint} does not answer in time") from error
        except HttpFailure as error:
            raise UnreachableApi(f"{self._endpoint} cannot be reached") from error

    def _failure(self, answer: HttpAnswer) -> ApiRefused | UnreachableApi | WrongApi:
        refusal = _refusal(answer)
        if refusal is not None:
            return ApiRefused(refusal.detail, refusal.error, refusal.remedy)
        told = f"{self._endpoint} answers with HTTP status {answer.status}"
        return UnreachableApi(told) if answer.is_server_error else WrongApi(told)


def _refusal(answer: HttpAnswer) -> _Refusal | None:
    """The API's refusal; None when something else answers."""
    try:
        return _Refusal.model_validate_json(answer.text)
    except ValidationError:
        return None
