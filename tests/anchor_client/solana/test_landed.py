"""Reads of a client after its own transaction, from nodes behind one URL that lag one another."""

from __future__ import annotations

import json
from typing import Any

import pytest
from solana.rpc.commitment import Confirmed, Finalized, Processed
from solders.pubkey import Pubkey

from anchor_client.errors import RpcRefused
from anchor_client.service.backoff import Backoff
from anchor_client.solana.http.answer import HttpAnswer
from anchor_client.solana.json_rpc import JsonRpc, Retries
from anchor_client.solana.json_rpc.landed import RECENT_SECONDS, LandedSlots
from anchor_client.solana.node import NodeClient
from tests.anchor_client.solana.links import Answering

LANDED = 100
AT_ALL = ("processed", "confirmed", "finalized")


class Replicas:
    """Nodes behind one URL that answer in turn, each from its own slot, as validators treat minContextSlot."""

    def __init__(self, *slots: int) -> None:
        self.slots, self.asked = slots, list[dict[str, Any]]()

    def answer(self, body: bytes) -> HttpAnswer:
        asked = json.loads(body)
        slot = self.slots[len(self.asked) % len(self.slots)]
        self.asked.append(asked["params"][-1])
        told: dict[str, Any] = {"result": {"context": {"slot": slot}, "value": slot}}
        if slot < asked["params"][-1].get("minContextSlot", 0):
            told = {"error": {"code": -32016, "message": "Minimum context slot has not been reached"}}
        return HttpAnswer(200, json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}))

    def client(self) -> NodeClient:
        client = NodeClient("http://node.example")
        rpc = JsonRpc(
            "http://node.example", retries=Retries(2, Backoff(0, 0.01)), connect=lambda _: Answering(self.answer)
        )
        client._http = client._rpc = rpc
        return client


async def test_read__after_a_transaction__is_not_from_before_it() -> None:
    replicas = Replicas(90, 95, LANDED)
    client = replicas.client()
    assert await client.get_balance(Pubkey.default(), Confirmed) == 90
    client.has_landed(LANDED, Confirmed)
    assert [await client.get_balance(Pubkey.default(), Confirmed) for _ in range(3)] == [LANDED] * 3
    assert await client.get_balance(Pubkey.default(), Finalized) == 90, "it is not final yet"


async def test_read__every_node_behind_for_long__is_refused_by_name() -> None:
    replicas = Replicas(90)
    client = replicas.client()
    client.has_landed(LANDED, Confirmed)
    with pytest.raises(RpcRefused, match="Minimum context slot"):
        await client.get_balance(Pubkey.default(), Confirmed)
    assert len(replicas.asked) == 6


@pytest.mark.parametrize(
    ("reached", "least"),
    [
        (Processed, [LANDED, None, None]),
        (Confirmed, [LANDED, LANDED, None]),
        (Finalized, [LANDED, LANDED, LANDED]),
    ],
)
def test_least__of_a_landed_transaction__is_its_slot_up_to_its_commitment(
    reached: str, least: list[int | None]
) -> None:
    slots = LandedSlots()
    slots.add(LANDED, reached)
    slots.add(LANDED - 1, reached)
    assert [slots.least(each) for each in AT_ALL] == least


def test_least__long_after__is_none() -> None:
    clock = [0.0]
    slots = LandedSlots(now=lambda: clock[0])
    slots.add(LANDED, "finalized")
    clock[0] = RECENT_SECONDS - 1
    assert slots.least("confirmed") == LANDED
    clock[0] = RECENT_SECONDS
    assert slots.least("confirmed") is None
