"""The vocabulary: the keys of every resource and their types in JSON are a contract with whoever reads them."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.kinds import JobState
from anchor_client.resources.base import Resource
from anchor_client.resources.charges import JobCharges
from anchor_client.resources.gpu import Gpu
from anchor_client.resources.host import Host
from anchor_client.resources.job import Job, JobStatus
from anchor_client.resources.listing import Listing
from anchor_client.resources.market import MarketSettings
from anchor_client.resources.mfp import MfpLock
from anchor_client.resources.payment_token import PaymentToken
from anchor_client.resources.proposal import Proposal
from anchor_client.resources.quota import WalletQuota
from anchor_client.resources.request import MachineRequest
from anchor_client.resources.spot import SpotBook
from anchor_client.resources.stake import Stake

RESOURCES: tuple[type[Resource], ...] = (
    *(Job, Listing, Host, MachineRequest, Stake, Proposal, JobCharges, Gpu, WalletQuota, SpotBook, MfpLock),
    *(PaymentToken, MarketSettings),
)
FROZEN = Path(__file__).with_name("resources.json")


def shape(resource: type[Resource]) -> dict[str, Any]:
    """The keys of a resource with their types in JSON; nested ones as they are."""
    schema = TypeAdapter(resource).json_schema(mode="serialization")
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
    schema = TypeAdapter(resource).json_schema(mode="serialization")
    assert set(schema["required"]) == set(schema["properties"])


JOB = Job.read(
    dict.fromkeys(Job.names())
    | dict.fromkeys(("id", "renter", "listing", "host", "mint", "finalized_by"), str(Pubkey.default()))
    | dict.fromkeys(("deposit", "subsidy", "rate", "cost", "burned", "refunded", "owed", "host_paid", "fees"), 2**60)
    | dict.fromkeys(
        (
            "subsidy_returned",
            "compensation",
            "held",
            "tip_lamports",
            "decimals",
            "rate_usd",
            "min_charge",
            "created_at",
        ),
        6,
    )
    | {
        "status": JobState.COMPLETED,
        "message": "Ran to its end.",
        "kind": "spot",
        "order_hash": "ab" * 32,
        "close_reason": "stopped",
        "close_tx": str(Signature.default()),
        "connection": b"sealed",
        "history": (JobStatus(status=JobState.QUEUED, ts=7, message="Queued.", tx=Signature.default()),),
        "duration": 3_600,
    }
)


def test_to_json__field_of_every_kind__is_what_the_api_answers() -> None:
    answered = TypeAdapter(Job).dump_python(JOB, mode="json")
    assert json.loads(json.dumps(JOB.to_json())) == answered
    assert (answered["kind"], answered["deposit"], answered["connection"]) == ("spot", str(2**60), "c2VhbGVk")


def test_resource__field_missing_or_unknown__is_refused() -> None:
    with pytest.raises(TypeError, match="JobStatus, missing or unknown: colour, tx"):
        JobStatus(status=JobState.QUEUED, ts=7, message="Queued.", colour="red")  # type: ignore[call-arg]


def test_resource__field_set__is_refused() -> None:
    with pytest.raises(FrozenInstanceError):
        JOB.ts = 1  # type: ignore[attr-defined]
