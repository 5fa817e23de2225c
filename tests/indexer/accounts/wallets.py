"""Wallets that sign in."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import httpx
from fastapi.testclient import TestClient
from solders.keypair import Keypair

from anchor_client.api.sign_in import SignInMessage

CAMEL = {
    "uri": "uri",
    "version": "version",
    "chain_id": "chainId",
    "nonce": "nonce",
    "issued_at": "issuedAt",
    "expiration_time": "expirationTime",
    "not_before": "notBefore",
    "request_id": "requestId",
}


def message_of(asked: Mapping[str, Any], address: str) -> SignInMessage:
    """The message of a SolanaSignInInput."""
    fields = {name: asked.get(camel) for name, camel in CAMEL.items()}
    resources = asked.get("resources")
    return SignInMessage(
        asked["domain"],
        asked.get("address", address),
        asked.get("statement"),
        **fields,
        resources=None if resources is None else tuple(resources),
    )


def input_of(message: SignInMessage) -> dict[str, Any]:
    """The SolanaSignInInput of a message."""
    fields = {camel: getattr(message, name) for name, camel in CAMEL.items()}
    told = {"domain": message.domain, "address": message.address, "statement": message.statement, **fields}
    told["resources"] = None if message.resources is None else list(message.resources)
    return {name: value for name, value in told.items() if value is not None}


def asked(api: TestClient | httpx.Client, wallet: Keypair) -> SignInMessage:
    """Message that the API asks a wallet to sign."""
    address = str(wallet.pubkey())
    return message_of(api.post("/api/auth/challenge", json={"address": address}).json(), address)


def output(wallet: Keypair, text: str | SignInMessage) -> dict[str, str]:
    """A wallet's answer."""
    signed = str(text).encode()
    return {
        "address": str(wallet.pubkey()),
        "signed_message": b64encode(signed).decode(),
        "signature": str(wallet.sign_message(signed)),
    }


def sign_in(api: TestClient | httpx.Client, wallet: Keypair) -> dict[str, Any]:
    """The tokens of a wallet that has signed in."""
    answer = api.post("/api/auth/sign-in", json=output(wallet, asked(api, wallet)))
    assert answer.status_code == 200, answer.text
    tokens: dict[str, Any] = answer.json()
    return tokens


def bearer(tokens: Mapping[str, Any]) -> dict[str, str]:
    """The header of an access token."""
    return {"Authorization": f"Bearer {tokens['access_token']}"}
