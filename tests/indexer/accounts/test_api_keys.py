"""API keys: made by a wallet, shown once, and good for what they were made for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from sqlalchemy import Engine, select, update

from indexer.accounts.api_keys import MAX_KEYS
from indexer.accounts.models import ApiKey
from indexer.accounts.secrets import digest_of
from tests.indexer.accounts.wallets import bearer, sign_in
from tests.indexer.databases import in_time, on_both_databases
from tests.sweeps import sampled

ADDRESS = "So11111111111111111111111111111111111111112"


@pytest.fixture
def signed_in(api: TestClient, wallet: Keypair) -> dict[str, str]:
    return bearer(sign_in(api, wallet))


def created(api: TestClient, headers: dict[str, str], *scopes: str, **more: Any) -> dict[str, Any]:
    body = {"name": "script", "scopes": scopes or ["read"], **more}
    answer = api.post("/api/auth/keys", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    key: dict[str, Any] = answer.json()
    return key


@on_both_databases
def test_key__created__is_shown_once_and_kept_hashed(
    api: TestClient, engine: Engine, signed_in: dict[str, str]
) -> None:
    key = created(api, signed_in, "transactions", "read", expires_in=3_600)
    assert key["scopes"] == ["read", "transactions"] and key["expires_at"] - key["created_at"] == 3_600
    listed = api.get("/api/auth/keys", headers=signed_in)
    assert listed.json()["keys"] == [{name: key[name] for name in key if name != "secret"}]
    assert key["secret"] not in listed.text
    with engine.connect() as connection:
        [row] = connection.execute(select(ApiKey.table)).mappings().all()
    assert row["digest"] == digest_of(key["secret"]) and key["secret"] not in str(dict(row))


@on_both_databases
def test_key__used__says_when(api: TestClient, signed_in: dict[str, str]) -> None:
    key = created(api, signed_in)
    assert api.get("/api/gpus", headers={"X-API-Key": key["secret"]}).status_code == 200
    for attempt in in_time:
        with attempt:
            [told] = api.get("/api/auth/keys", headers=signed_in).json()["keys"]
            assert told["last_used_at"] is not None and abs(told["last_used_at"] - time.time()) < 60


@on_both_databases
def test_key__revoked__counts_no_more(api: TestClient, signed_in: dict[str, str]) -> None:
    key, other = created(api, signed_in), created(api, signed_in)
    assert api.delete(f"/api/auth/keys/{key['id']}", headers=signed_in).status_code == 204
    answer = api.get("/api/gpus", headers={"X-API-Key": key["secret"]})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_api_key")
    assert api.get("/api/gpus", headers={"X-API-Key": other["secret"]}).status_code == 200
    assert api.delete(f"/api/auth/keys/{key['id']}", headers=signed_in).status_code == 404


def test_key__of_another_wallet__is_not_there(api: TestClient, signed_in: dict[str, str]) -> None:
    key, stranger = created(api, signed_in), bearer(sign_in(api, Keypair()))
    assert api.get("/api/auth/keys", headers=stranger).json() == {"keys": []}
    assert api.delete(f"/api/auth/keys/{key['id']}", headers=stranger).status_code == 404
    assert api.get("/api/gpus", headers={"X-API-Key": key["secret"]}).status_code == 200


def test_key__expired__is_refused(api: TestClient, signed_in: dict[str, str], after: Callable[[float], None]) -> None:
    key = created(api, signed_in, expires_in=60)
    after(61)
    assert api.get("/api/gpus", headers={"X-API-Key": key["secret"]}).json()["error"] == "invalid_api_key"


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [("read", {"GET", "HEAD"}), ("transactions", {"POST", "DELETE"}), ("webhooks", set[str]())],
)
def test_key__scope__is_all_that_it_allows(
    api: TestClient, signed_in: dict[str, str], scope: str, allowed: set[str]
) -> None:
    headers = {"X-API-Key": created(api, signed_in, scope)["secret"]}
    asked = {"GET": "/api/gpus", "HEAD": "/api/gpus", "POST": "/api/jobs", "DELETE": f"/api/jobs/{ADDRESS}"}
    answers = {method: api.request(method, path, headers=headers, params={"x": "y"}) for method, path in asked.items()}
    assert {method for method, answer in answers.items() if answer.status_code != 403} == allowed
    assert {answer.json()["error"] for method, answer in answers.items() if method not in {*allowed, "HEAD"}} <= {
        "scope_missing"
    }


@pytest.mark.parametrize(("method", "path"), [("GET", "keys"), ("POST", "keys"), ("POST", "sign-out")])
def test_key__of_any_scope__makes_no_keys(api: TestClient, signed_in: dict[str, str], method: str, path: str) -> None:
    key = created(api, signed_in, "read", "webhooks", "transactions")
    body = {"name": "more", "scopes": ["read"]}
    answer = api.request(method, f"/api/auth/{path}", headers={"X-API-Key": key["secret"]}, json=body)
    assert (answer.status_code, answer.json()["error"]) == (401, "not_signed_in")


@pytest.mark.parametrize("secret", ["", "x", "gpumk_" + "A" * 43, "gpumk_" + "A" * 10_000, "gpumk_é"])
def test_key__unknown__is_refused(api: TestClient, secret: str) -> None:
    answer = api.get("/api/gpus", headers={"X-API-Key": secret.encode()})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_api_key")


def test_key__and_a_token__are_one_too_many(api: TestClient, signed_in: dict[str, str]) -> None:
    key = created(api, signed_in)
    answer = api.get("/api/gpus", headers=signed_in | {"X-API-Key": key["secret"]})
    assert (answer.status_code, answer.json()["error"]) == (401, "two_credentials")


@pytest.mark.parametrize(
    "body",
    sampled(
        [
            {"name": "", "scopes": ["read"]},
            {"name": "x" * 65, "scopes": ["read"]},
            {"name": "a\nb", "scopes": ["read"]},
            {"name": "x", "scopes": []},
            {"name": "x", "scopes": ["everything"]},
            {"name": "x", "scopes": ["read"], "expires_in": 0},
        ],
        every=3,
    ),
    ids=str,
)
def test_key__that_is_none__is_refused(api: TestClient, signed_in: dict[str, str], body: dict[str, Any]) -> None:
    assert api.post("/api/auth/keys", json=body, headers=signed_in).status_code == 422


@pytest.mark.exhaustive
def test_keys__very_many__are_refused(api: TestClient, engine: Engine, signed_in: dict[str, str]) -> None:
    for _ in range(MAX_KEYS):
        created(api, signed_in)
    answer = api.post("/api/auth/keys", json={"name": "x", "scopes": ["read"]}, headers=signed_in)
    assert (answer.status_code, answer.json()["error"]) == (409, "too_many_api_keys")
    with engine.begin() as connection:
        connection.execute(update(ApiKey.table).values(wallet=ADDRESS))
    created(api, signed_in)
