"""Nodes behind one URL, of which some are a slot behind."""

from __future__ import annotations

import time
from typing import Any

import httpx

from tests.processes.patience import PATIENCE

CALLS = 20
REPLICA_SLOTS = 2
"""Slots from one that any replica tells to one by which the others know it."""


def call(url: str, method: str, *params: Any) -> Any:
    """A result of a node; one like a provider's refuses some calls for their rate."""
    for _ in range(CALLS):
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = httpx.post(url, json=asked, timeout=PATIENCE).raise_for_status().json()
        if "error" not in answer:
            return answer["result"]
    raise AssertionError(answer)


def until_known(url: str) -> None:
    """Waits until every replica knows what has been sent so far."""
    enough = call(url, "getSlot") + REPLICA_SLOTS
    deadline = time.monotonic() + PATIENCE
    while call(url, "getSlot") < enough:
        assert time.monotonic() < deadline, "the node's slots do not move"
