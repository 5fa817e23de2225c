"""Endpoints that a wallet may have, and the most of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError
from solders.keypair import Keypair
from sqlalchemy import Engine

from indexer.api.main import create_app
from indexer.api.routes.webhooks.endpoints import NewWebhook
from indexer.api.webhooks.kinds import Kind
from tests.indexer.accounts.wallets import bearer, sign_in
from tests.indexer.webhooks.conftest import SETTINGS

URL = {"url": "https://a.example/notices"}
ADDRESS = "So11111111111111111111111111111111111111112"


@pytest.fixture
def api(sqlite_engine: Engine) -> Any:
    """As strict as outside of a local market, over an empty index."""
    settings = replace(SETTINGS, webhook_private=False, webhooks_per_wallet=2)
    with TestClient(create_app(settings, engine=sqlite_engine)) as client:
        yield client


def test_webhook__added__is_told_with_its_secret_once(api: TestClient, headers: dict[str, str]) -> None:
    made = api.post("/api/webhooks", json=URL, headers=headers).json()
    wallet = api.get("/api/auth/me", headers=headers).json()["wallet"]
    assert made["secret"].startswith("whsec_") and made["types"] == [kind.value for kind in Kind]
    assert made["topics"] == [f"wallet:{wallet}", "governance"] and made["low_funds"] == ["600s"]
    listed = api.get("/api/webhooks", headers=headers)
    assert listed.json()["webhooks"] == [{name: value for name, value in made.items() if name != "secret"}]
    changed = api.patch(f"/api/webhooks/{made['id']}", json={"types": ["job.ended"]}, headers=headers).json()
    assert changed == listed.json()["webhooks"][0] | {"types": ["job.ended"]}
    assert api.delete(f"/api/webhooks/{made['id']}", headers=headers).status_code == 204
    assert api.get("/api/webhooks", headers=headers).json() == {"webhooks": []}


def test_webhook__of_another_wallet__is_not_there(api: TestClient, headers: dict[str, str]) -> None:
    path = f"/api/webhooks/{api.post('/api/webhooks', json=URL, headers=headers).json()['id']}"
    stranger = bearer(sign_in(api, Keypair()))
    asked = [("GET", "", None), ("PATCH", "", {}), ("DELETE", "", None), ("POST", "/secret", None)]
    asked += [("POST", "/test", None), ("GET", "/deliveries", None), ("POST", "/replay", {"since": 0})]
    answers = [api.request(method, path + more, json=body, headers=stranger) for method, more, body in asked]
    assert {answer.status_code for answer in answers} == {404}
    assert api.get(path, headers=headers).status_code == 200


def test_webhook__without_a_credential_that_allows_it__is_refused(api: TestClient, headers: dict[str, str]) -> None:
    assert api.post("/api/webhooks", json=URL).status_code == 401
    keys = {
        scope: api.post("/api/auth/keys", json={"name": "x", "scopes": [scope]}, headers=headers).json()["secret"]
        for scope in ("read", "webhooks")
    }
    answers = {scope: api.post("/api/webhooks", json=URL, headers={"X-API-Key": key}) for scope, key in keys.items()}
    assert answers["webhooks"].status_code == 201
    assert (answers["read"].status_code, answers["read"].json()["error"]) == (403, "scope_missing")
    api.post("/api/auth/sign-out", headers=headers)
    assert api.get("/api/webhooks", headers=headers).status_code == 401


def test_webhooks__one_too_many__is_refused(api: TestClient, headers: dict[str, str]) -> None:
    answers = [api.post("/api/webhooks", json=URL, headers=headers) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 409]
    assert answers[-1].json()["error"] == "too_many_webhooks"


def test_webhook__url_of_the_inside__is_refused(api: TestClient, headers: dict[str, str]) -> None:
    path = f"/api/webhooks/{api.post('/api/webhooks', json=URL, headers=headers).json()['id']}"
    for url in ("http://a.example/", "https://127.0.0.1/", "https://[fe80::1]/", "https://u:p@a.example"):
        added = api.post("/api/webhooks", json={"url": url}, headers=headers)
        assert (added.status_code, added.json()["error"]) == (400, "webhook_url_refused")
        assert api.patch(path, json={"url": url}, headers=headers).status_code == 400


@pytest.mark.parametrize(
    "more",
    [
        *({"url": "javascript:x"}, {"types": []}, {"types": ["webhook.test"]}, {"topics": ["all"]}, {"topics": []}),
        *({"low_funds": ["10"]}, {"low_funds": ["0%"]}, {"low_funds": ["1s"] * 6}, {"events": ["job.ended"]}),
        {"url": f"https://a.example/{'x' * 2_048}"},
    ],
    ids=str,
)
def test_webhook__that_is_none__is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NewWebhook.model_validate(URL | more)


def test_webhook__of_others_affairs__may_be_had(api: TestClient, headers: dict[str, str]) -> None:
    """Everything on the chain is everybody's."""
    asked = URL | {"topics": [f"host:{ADDRESS}", f"job:{ADDRESS}"]}
    assert api.post("/api/webhooks", json=asked, headers=headers).status_code == 201
