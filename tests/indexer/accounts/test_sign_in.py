"""Signing in with a wallet: what it is asked to sign, that alone, once and in time. Invariant IDX-13."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from solders.signature import Signature
from sqlalchemy import Engine

from anchor_client.orders.delivery import statement
from anchor_client.signed_text import envelope
from indexer.accounts.challenges import CHALLENGE_SECONDS, SKEW_SECONDS
from indexer.api.limits.limiter import QUOTA_HEADER
from indexer.api.main import create_app
from indexer.settings import IndexerSettings
from tests.indexer.accounts.conftest import SETTINGS
from tests.indexer.accounts.wallets import asked, bearer, output, sign_in
from tests.indexer.databases import on_both_databases
from tests.sweeps import sampled

ORDER = 2**252 + 27742317777372353535851937790883648493
"""Of Ed25519's base point."""
After = Callable[[float], None]


def refusal(api: TestClient, body: dict[str, str]) -> tuple[int, str]:
    answer = api.post("/api/auth/sign-in", json=body)
    return answer.status_code, answer.json()["error"]


@on_both_databases
def test_sign_in__challenge_signed__gives_tokens_of_the_wallet(api: TestClient, wallet: Keypair) -> None:
    tokens = sign_in(api, wallet)
    assert (tokens["wallet"], tokens["token_type"], tokens["expires_in"]) == (str(wallet.pubkey()), "Bearer", 900)
    me = api.get("/api/auth/me", headers=bearer(tokens)).json()
    assert (me["wallet"], me["signed_in"]) == (str(wallet.pubkey()), True)


def test_challenge__without_an_address__leaves_it_to_the_wallet(api: TestClient) -> None:
    answer = api.post("/api/auth/challenge", json={})
    assert answer.status_code == 200 and "address" not in answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json().keys() >= {"domain", "statement", "uri", "version", "chainId", "nonce", "issuedAt"}
    assert (answer.json()["domain"], answer.json()["chainId"]) == ("market.example", "solana:devnet")


def test_challenge__host_of_the_request__changes_nothing(api: TestClient) -> None:
    answer = api.post("/api/auth/challenge", json={}, headers={"Host": "evil.example"})
    assert answer.json()["domain"] == "market.example" and answer.json()["uri"] == "https://market.example"


@pytest.mark.parametrize(
    "changed",
    sampled(
        [
            {"domain": "evil.example"},
            {"domain": "market.example:8000"},
            {"uri": "https://evil.example"},
            {"uri": None},
            {"chain_id": "solana:mainnet"},
            {"chain_id": None},
            {"version": "2"},
            {"statement": "Send everything."},
            {"statement": None},
            {"nonce": "0" * 64},
            {"nonce": "é" * 64},
            {"nonce": None},
            {"issued_at": "2020-01-01T00:00:00.000Z"},
            {"expiration_time": "2099-01-01T00:00:00.000Z"},
            {"expiration_time": None},
            {"not_before": "2020-01-01T00:00:00.000Z"},
            {"request_id": "1"},
            {"resources": ("https://evil.example",)},
            {"address": "So11111111111111111111111111111111111111112"},
        ],
        every=5,
    ),
    ids=str,
)
def test_sign_in__message_with_anything_else__is_refused(
    api: TestClient, wallet: Keypair, changed: dict[str, Any]
) -> None:
    message = replace(asked(api, wallet), **changed)
    assert refusal(api, output(wallet, message)) == (401, "wrong_message")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\n",
        lambda text: text.replace("costs nothing.", "costs\nnothing."),
        lambda text: text.replace("\n\nURI", "\n\nURI: https://evil.example\nURI"),
        lambda text: text.replace(" wants", "  wants"),
        lambda text: "",
        lambda text: "\x00" + text,
    ],
)
def test_sign_in__text_that_is_not_exactly_rebuilt__is_refused(
    api: TestClient, wallet: Keypair, change: Callable[[str], str]
) -> None:
    assert refusal(api, output(wallet, change(str(asked(api, wallet))))) == (401, "wrong_message")


def test_sign_in__signed_by_another__is_refused(api: TestClient, wallet: Keypair) -> None:
    signed = output(wallet, asked(api, wallet))
    other = output(Keypair(), asked(api, wallet))
    assert refusal(api, signed | {"signature": other["signature"]}) == (401, "wrong_signature")
    assert refusal(api, signed | {"address": other["address"]}) == (401, "wrong_message")
    assert api.post("/api/auth/sign-in", json=signed).status_code == 200


def off_chain(wallet: Keypair, signed: bytes, told: bytes | None = None) -> dict[str, str]:
    """A wallet's answer that has signed an off-chain message; some wallets tell the text instead of it."""
    shown = signed if told is None else told
    signature = str(wallet.sign_message(signed))
    return {"address": str(wallet.pubkey()), "signed_message": b64encode(shown).decode(), "signature": signature}


@pytest.mark.parametrize("tells_envelope", [True, False])
def test_sign_in__off_chain_message__gives_tokens_once(api: TestClient, wallet: Keypair, tells_envelope: bool) -> None:
    text = str(asked(api, wallet)).encode()
    body = off_chain(wallet, envelope(text, wallet.pubkey()), None if tells_envelope else text)
    answer = api.post("/api/auth/sign-in", json=body)
    assert (answer.status_code, answer.json()["wallet"]) == (200, str(wallet.pubkey()))
    assert refusal(api, body) == (401, "challenge_used")


def test_sign_in__off_chain_message_of_another_text_or_wallet__is_refused(api: TestClient, wallet: Keypair) -> None:
    message, other = asked(api, wallet), Keypair()
    text, mine = str(message).encode(), wallet.pubkey()
    order = statement(bytes(32), b"sealed", 1)
    evil = str(replace(message, domain="evil.example")).encode()
    for wrong in (order, evil, text + b"\n", b""):
        assert refusal(api, off_chain(wallet, envelope(wrong, mine))) == (401, "wrong_message")
    of_other = envelope(text, other.pubkey())
    assert refusal(api, off_chain(wallet, of_other)) == (401, "wrong_message")
    assert refusal(api, off_chain(wallet, of_other, text)) == (401, "wrong_signature")
    foreign = bytearray(envelope(text, mine))
    foreign[17] ^= 1
    assert refusal(api, off_chain(wallet, bytes(foreign))) == (401, "wrong_message")
    assert refusal(api, off_chain(wallet, bytes(foreign), text)) == (401, "wrong_signature")
    assert refusal(api, off_chain(wallet, envelope(order, mine), text)) == (401, "wrong_signature")
    assert api.post("/api/auth/sign-in", json=off_chain(wallet, envelope(text, mine))).status_code == 200


def test_sign_in__signature_made_malleable__is_refused(api: TestClient, wallet: Keypair) -> None:
    signed = output(wallet, asked(api, wallet))
    plain = bytes(Signature.from_string(signed["signature"]))
    raised = int.from_bytes(plain[32:], "little") + ORDER
    changed = Signature.from_bytes(plain[:32] + raised.to_bytes(32, "little"))
    assert refusal(api, signed | {"signature": str(changed)}) == (401, "wrong_signature")


@pytest.mark.parametrize("address", ["11111111111111111111111111111111", "1" * 31 + "2"])
def test_sign_in__key_of_small_order__is_refused(api: TestClient, address: str) -> None:
    """Keys of small order verify a signature of zeros over any message where that is not looked for."""
    wallet = Keypair()
    message = replace(asked(api, wallet), address=address)
    body = output(wallet, message) | {"address": address, "signature": str(Signature.default())}
    assert refusal(api, body) == (401, "wrong_signature")


@on_both_databases
def test_sign_in__challenge_used_before__is_refused(api: TestClient, engine: Engine, wallet: Keypair) -> None:
    body = output(wallet, asked(api, wallet))
    assert api.post("/api/auth/sign-in", json=body).status_code == 200
    assert refusal(api, body) == (401, "challenge_used")
    keys = api.app.state.signing_keys  # type: ignore[attr-defined]
    with TestClient(create_app(SETTINGS, engine=engine, keys=keys)) as other:
        assert refusal(other, body) == (401, "challenge_used")


@on_both_databases
def test_sign_in__by_many_at_once__is_one(api: TestClient, wallet: Keypair) -> None:
    body = output(wallet, asked(api, wallet))
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: api.post("/api/auth/sign-in", json=body).status_code, range(8)))
    assert sorted(answers) == [200] + [401] * 7


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(CHALLENGE_SECONDS + SKEW_SECONDS - 2, 200), (CHALLENGE_SECONDS + SKEW_SECONDS + 2, 401)],
)
def test_sign_in__late__counts_until_it_expires(
    api: TestClient, wallet: Keypair, after: After, seconds: int, expected: int
) -> None:
    body = output(wallet, asked(api, wallet))
    after(seconds)
    answer = api.post("/api/auth/sign-in", json=body)
    assert answer.status_code == expected
    assert expected == 200 or answer.json()["error"] == "challenge_expired"


@pytest.mark.parametrize(("seconds", "expected"), [(SKEW_SECONDS - 2, 200), (SKEW_SECONDS + 2, 401)])
def test_sign_in__challenge_of_the_future__counts_within_the_skew(
    api: TestClient, wallet: Keypair, after: After, seconds: int, expected: int
) -> None:
    body = output(wallet, asked(api, wallet))
    after(-seconds)
    answer = api.post("/api/auth/sign-in", json=body)
    assert answer.status_code == expected
    assert expected == 200 or answer.json()["error"] == "challenge_expired"


def test_sign_in__challenge_of_another_service__is_refused(
    api: TestClient, sqlite_engine: Engine, wallet: Keypair
) -> None:
    with TestClient(create_app(SETTINGS, engine=sqlite_engine)) as other:
        assert refusal(api, output(wallet, asked(other, wallet))) == (401, "wrong_message")


@pytest.mark.parametrize(
    "changed",
    [
        {"signed_message": "é"},
        {"signed_message": "A" * 3_000},
        {"signature": "0"},
        {"signature": None},
        {"address": "x"},
    ],
    ids=str,
)
def test_sign_in__body_that_is_none__is_refused(api: TestClient, wallet: Keypair, changed: dict[str, Any]) -> None:
    assert refusal(api, output(wallet, asked(api, wallet)) | changed) == (422, "invalid_request")


def test_sign_in__too_often__is_limited(sqlite_engine: Engine, wallet: Keypair) -> None:
    with TestClient(create_app(IndexerSettings(sign_ins_per_client=0.2), engine=sqlite_engine)) as api:
        body = output(wallet, asked(api, wallet))
        answers = [api.post("/api/auth/sign-in", json=body) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 401, 429]
    assert '"sign-in";r=0' in answers[-1].headers[QUOTA_HEADER] and int(answers[-1].headers["retry-after"]) > 0
