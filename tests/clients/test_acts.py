"""Listings and proposals: the TypeScript client expects exactly what the program is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.hash import Hash
from solders.instruction import Instruction

from anchor_client.generated import instructions as build
from anchor_client.generated import types
from anchor_client.generated.types import ListingSpec
from anchor_client.generated.types.action import Action
from anchor_client.market.governance.words import action_fields
from anchor_client.rules.catalog import GPU_MODELS, REGIONS
from anchor_client.solana.transactions.message import ComputeBudget, unsigned
from indexer.api.routes.acts.listings import Spec
from tests.anchor_client.anchorpy.idl_samples import Samples
from tests.clients.package import Twin
from tests.clients.test_checks import LISTING, OTHER, WALLET, by
from tests.clients.test_twin import IDL

pytestmark = pytest.mark.xdist_group("typescript")

SAMPLES = Samples(IDL, types)
ACTIONS = {
    kind.__name__: kind(**{field["name"]: SAMPLES.value(field["type"]) for field in variant["fields"]})
    for kind, variant in zip(
        Action.variants(),
        next(each["type"]["variants"] for each in IDL["types"] if each["name"] == "Action"),
        strict=True,
    )
}
SPEC = {
    **{"gpu": "nvidia-a100-pcie-40gb", "gpu_count": 3, "vram_gb": 40, "region": "ap-south", "disk_kind": "hdd"},
    **{"cpu_cores": 5, "ram_gb": 6, "disk_gb": 7, "disk_mbps": 8, "net_up_mbps": 9, "net_down_mbps": 10, "cuda": 1208},
    **{"on_demand_usd": 2_500_000, "spot_min_usd": 1_000_001, "mrl_seconds": 86_400, "keep_days": 11, "visible": True},
}
TOLD = Spec.model_validate(SPEC).spec()


def case(name: str, given: list[Any], instruction: Instruction) -> dict[str, Any]:
    """For the twin: what was asked for, and what an API drafts."""
    made = unsigned(
        [instruction],
        WALLET,
        Hash.default(),
        1,
        signature_fee=5_000,
        budget=ComputeBudget(units=200_000, priority_fee=1),
    )
    return {"name": name, "given": given, "wallet": str(WALLET), "transaction": made.base64}


def proposing(action: Action, title: str = "Why") -> Instruction:
    return by(build.create_proposal, nonce=3, action=action, title=title, proposer=WALLET)


def listing(spec: ListingSpec = TOLD, **accounts: Any) -> Instruction:
    return by(build.update_listing, spec=spec, authority=WALLET, **{"listing": LISTING} | accounts)


def differences(twin: Twin, *cases: dict[str, Any]) -> list[set[str]]:
    """Names of the fields that are not as asked for, of each case."""
    told = twin(acts=list(cases))["acts"]
    return [{difference["what"] for difference in each} for each in told]


def said(action: Action) -> dict[str, Any]:
    """An action as the API is told: integers of 64 bits are text."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(each) for name, each in value.items()}
        return str(value) if type(value) is int and value >= 2**32 else value

    fields: dict[str, Any] = plain(action_fields(action))
    return fields


def test_proposal__of_every_kind__is_what_its_transaction_must_say(twin: Twin) -> None:
    asked = [case("propose", [said(action), "Why"], proposing(action)) for action in ACTIONS.values()]
    assert differences(twin, *asked) == [set()] * len(ACTIONS)


def test_proposal__of_anything_else__is_refused(twin: Twin) -> None:
    actions = list(ACTIONS.values())
    others = [
        case("propose", [said(action), "Why"], proposing(other))
        for action, other in zip(actions, actions[1:] + actions[:1], strict=True)
    ]
    titled = case("propose", [said(actions[0]), "Why"], proposing(actions[0], "Why not"))
    expected = [{"create_proposal.action"}] * len(actions)
    assert differences(twin, *others, titled) == [*expected, {"create_proposal.title"}]


def test_listing__of_any_model_and_region__is_what_its_transaction_must_say(twin: Twin) -> None:
    specs = [SPEC | {"gpu": model.slug, "region": region.slug} for model in GPU_MODELS for region in REGIONS]
    specs += [SPEC | {"gpu": "65535"}, SPEC | {"region": "0"}]
    asked = [case("updateListing", [str(LISTING), spec], listing(Spec.model_validate(spec).spec())) for spec in specs]
    made = case("createListing", [SPEC], by(build.create_listing, id=4, spec=TOLD, authority=WALLET))
    assert differences(twin, *asked, made) == [set()] * (len(specs) + 1)


def test_listing__changed_in_any_field__is_refused(twin: Twin) -> None:
    changes = {name: False if name == "visible" else 1 for name in ListingSpec.LAYOUT.layouts}
    cases = [
        case("updateListing", [str(LISTING), SPEC], listing(replace(TOLD, **{name: value})))
        for name, value in changes.items()
    ]
    elsewhere = case("updateListing", [str(LISTING), SPEC], listing(listing=OTHER))
    assert differences(twin, *cases, elsewhere) == [
        *({f"update_listing.spec.{name}"} for name in changes),
        {"update_listing.listing"},
    ]
