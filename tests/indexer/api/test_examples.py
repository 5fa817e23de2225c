"""Operations of the API's description: one style of names, and examples that their schemas allow."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema_rs
import pytest

from indexer.api.examples import example_of
from indexer.api.main import create_app
from indexer.settings import IndexerSettings

DESCRIPTION: dict[str, Any] = create_app(IndexerSettings(database_url="sqlite://")).openapi()
OPERATIONS = {about["operationId"]: about for methods in DESCRIPTION["paths"].values() for about in methods.values()}
WITHOUT_BODIES = {
    "auth_sign_out",
    "auth_revoke_key",
    "webhooks_remove_webhook",
    "searches_remove_search",
    "feed_events",
}
"""They have neither a body nor a JSON answer."""


def test_operations__each__has_an_id_of_one_style() -> None:
    assert len(OPERATIONS) == sum(len(methods) for methods in DESCRIPTION["paths"].values())
    assert [name for name in OPERATIONS if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", name)] == []
    assert [name for name in OPERATIONS if "api_" in name or name.endswith(("_get", "_post", "_put", "_delete"))] == []


def test_operations__each__has_an_example_that_its_schema_allows() -> None:
    without = set()
    for name, about in OPERATIONS.items():
        answers = [answer for status, answer in about["responses"].items() if status.startswith("2")]
        bodies = [each for each in (about.get("requestBody"), *answers) if each and "content" in each]
        media = [body["content"]["application/json"] for body in bodies if "application/json" in body["content"]]
        for each in media:
            schema = each["schema"] | {"components": DESCRIPTION["components"]}
            assert jsonschema_rs.is_valid(schema, each["example"]), (name, json.dumps(each["example"]))
        if not media:
            without.add(name)
    assert without == WITHOUT_BODIES


@pytest.mark.parametrize(
    ("schema", "name", "example"),
    [
        ({"type": "integer"}, "created_at", 1_800_000_000),
        ({"type": "integer", "exclusiveMaximum": 5}, "created_at", 4),
        ({"type": "string", "pattern": "^[0-9a-f]{64}$"}, "order_hash", "ab" * 32),
        ({"type": "array", "items": {"type": "string", "examples": ["read"]}}, "scopes", ["read"]),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "online", True),
    ],
)
def test_example__of_a_field__fits_its_name_and_bounds(schema: dict[str, Any], name: str, example: Any) -> None:
    assert example_of(schema, {}, name) == example
