"""The vocabulary: the keys of every resource and their types in JSON are a contract with whoever reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anchor_client.resources.base import Resource
from anchor_client.resources.charges import JobCharges
from anchor_client.resources.gpu import Gpu
from anchor_client.resources.host import Host
from anchor_client.resources.job import Job
from anchor_client.resources.listing import Listing
from anchor_client.resources.mfp import MfpLock
from anchor_client.resources.payment_token import PaymentToken
from anchor_client.resources.proposal import Proposal
from anchor_client.resources.quota import WalletQuota
from anchor_client.resources.request import MachineRequest
from anchor_client.resources.spot import SpotBook
from anchor_client.resources.stake import Stake

RESOURCES: tuple[type[Resource], ...] = (
    *(Job, Listing, Host, MachineRequest, Stake, Proposal, JobCharges, Gpu, WalletQuota, SpotBook, MfpLock),
    PaymentToken,
)
FROZEN = Path(__file__).with_name("resources.json")


def shape(resource: type[Resource]) -> dict[str, Any]:
    """The keys of a resource with their types in JSON; nested ones as they are."""
    schema = resource.model_json_schema(mode="serialization")
    return {name: json_type(field, schema.get("$defs", {})) for name, field in schema["properties"].items()}


def json_type(field: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if "$ref" in field:
        return json_type(definitions[field["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in field:
        return [json_type(one, definitions) for one in field["anyOf"]]
    if field.get("type") == "array":
        return {"array of": json_type(field["items"], definitions)}
    if "properties" in field:
        return {name: json_type(one, definitions) for name, one in field["properties"].items()}
    return field["enum"] if "enum" in field else field["type"]


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.__name__)
def test_resource__keys_and_json_types__are_the_committed_ones(resource: type[Resource]) -> None:
    assert shape(resource) == json.loads(FROZEN.read_text())[resource.__name__]


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.__name__)
def test_resource__every_key__is_always_there(resource: type[Resource]) -> None:
    schema = resource.model_json_schema(mode="serialization")
    assert set(schema["required"]) == set(schema["properties"])
