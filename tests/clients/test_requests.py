"""Requests: the TypeScript client expects exactly what the program is told."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from solders.hash import Hash
from solders.instruction import Instruction

from anchor_client.generated import instructions as build
from anchor_client.generated.constants import ANY_REGION
from anchor_client.generated.pdas import find_payment_mint, find_request
from anchor_client.generated.types import RentalKind, RequestOrder
from anchor_client.market.purse import Purse
from anchor_client.solana.tokens import NATIVE_MINT
from anchor_client.solana.transactions.message import ComputeBudget, unsigned
from tests.clients.package import Twin
from tests.clients.test_checks import FOREIGN, HASH, MINT, OTHER, REGISTER, WALLET, by

pytestmark = pytest.mark.xdist_group("typescript")

REQUEST = find_request(WALLET, 7)[0]
ORDER = RequestOrder(
    kind=RentalKind.ON_DEMAND,
    gpu_model=5,
    gpu_count=2,
    regions=1 << 3 | 1 << 1,
    near_region=ANY_REGION,
    min_score_bps=6_250,
    duration=27_000,
    max_usd=5_250_000,
    deposit=1_000,
    expires_at=1_800_000_000,
    order_hash=HASH,
    min_vram_gb=40,
    min_cuda=1_204,
    min_ram_gb=256,
    min_disk_gb=1,
    min_net_up_mbps=2,
    min_net_down_mbps=3,
)
WANTED = {
    **{"gpu": "nvidia-a100-pcie-40gb", "duration": 27_000, "maxUsd": 5_250_000, "deposit": "1000", "pay": str(MINT)},
    **{"count": 2, "regions": ["eu-west", "us-east"], "minScoreBps": 6_250, "minVramGb": 40, "minCuda": 1_204},
    **{"minRamGb": 256, "minDiskGb": 1, "minNetUpMbps": 2, "minNetDownMbps": 3},
}
UNCHECKED = {"expires_at"}
"""The chain's clock is not this machine's, and a request can be withdrawn at any time."""


def opening(order: RequestOrder = ORDER, **changed: Any) -> Instruction:
    accounts = {"renter": WALLET, "request": REQUEST, "payment_mint": find_payment_mint(MINT)[0]}
    return by(build.open_request, nonce=7, order=order, **accounts | changed)


def case(*instructions: Instruction, **asked: Any) -> dict[str, Any]:
    """For the twin: what was asked for, and what an API drafts."""
    made = unsigned(
        instructions,
        WALLET,
        Hash.default(),
        1,
        signature_fee=5_000,
        budget=ComputeBudget(units=200_000, priority_fee=1),
    )
    answer = {"transaction": made.base64, "address": str(REQUEST), "mint": str(MINT)}
    return {"wanted": WANTED | asked, "orderHash": HASH.hex(), "wallet": str(WALLET), "answer": answer}


def differences(twin: Twin, *cases: dict[str, Any]) -> list[set[str]]:
    told = twin(requests=list(cases))["requests"]
    return [{difference["what"] for difference in each} for each in told]


def test_request__as_asked_for__has_no_difference(twin: Twin) -> None:
    in_sol = Purse.wrapped(WALLET, 1_000, 2_039_280).around(opening(payment_mint=find_payment_mint(NATIVE_MINT)[0]))
    near = opening(replace(ORDER, near_region=4, regions=0))
    cases = [
        case(opening()),
        case(REGISTER, opening(replace(ORDER, deposit=999))),
        case(*in_sol, pay="SOL"),
        case(near, near="ap-south", regions=[]),
    ]
    assert differences(twin, *cases) == [set()] * len(cases)


def test_request__changed_in_any_field__is_refused(twin: Twin) -> None:
    names = [field.name for field in fields(RequestOrder) if field.name not in UNCHECKED]
    changes = dict.fromkeys(names, 4) | {
        "kind": RentalKind.RESERVED,
        "order_hash": bytes(32),
        "deposit": 1_001,
    }
    cases = [case(opening(replace(ORDER, **{name: value}))) for name, value in changes.items()]
    assert differences(twin, *cases) == [{f"open_request.order.{name}"} for name in changes]


def test_request__of_other_accounts_or_more_sol__is_refused(twin: Twin) -> None:
    dear = Purse.wrapped(WALLET, 10**9, 0).around(opening(payment_mint=find_payment_mint(NATIVE_MINT)[0]))
    cases = [
        case(opening(renter=OTHER)),
        case(opening(request=OTHER)),
        case(opening(payment_mint=OTHER)),
        case(*dear, pay="SOL"),
    ]
    wrong = [{"open_request.renter", "signers"}, {"open_request.request"}, {"open_request.payment_mint"}, {FOREIGN}]
    assert differences(twin, *cases) == wrong
