"""A node that answers from a script: the parts of JSON-RPC that a source reads, with faults on demand."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.service.backoff import Backoff
from anchor_client.solana.http.answer import HttpAnswer
from anchor_client.solana.json_rpc import JsonRpc, Retries
from tests.anchor_client.solana.links import Answering
from tests.markets.recorded import Market, result_of

GENESIS = "1" * 32
Fault = Callable[[str, list[Any], Any], Any]


class Refusal(Exception):
    """Error that the node refuses a call with."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message}


class ScriptedNode(JsonRpc):
    """Serves a market's transactions. `places` says what kind of node it is, `faults` what it gets wrong.

    A fault is given a method, its parameters and the right result; what it gives is answered.
    """

    def __init__(self, market: Market, *, page: int = 1_000, places: bool = True) -> None:
        super().__init__(
            "http://scripted.example",
            retries=Retries(3, Backoff(0, 0)),
            connect=lambda _: Answering(self._answer),
        )
        self.market = market
        self.page = page
        self.places = places
        self.forgotten: set[str] = set()
        self.hidden: set[str] = set()
        self.calls: list[str] = []
        self.faults: list[Fault] = []
        self.final_slot: int | None = None
        """Last slot that is final; None if all are."""
        self.orphaned: set[str] = set()
        """Transactions that do not become final."""
        self.learn()

    def learn(self) -> None:
        """Takes in what the market has done by now."""
        results = map(result_of, self.market.records)
        self.results = {result["transaction"]["signatures"][0]: result for result in results}

    def _answer(self, body: bytes) -> HttpAnswer:
        asked = json.loads(body)
        answer = [self._answer_to(each) for each in asked] if isinstance(asked, list) else self._answer_to(asked)
        return HttpAnswer(200, json.dumps(answer))

    def _answer_to(self, asked: dict[str, Any]) -> dict[str, Any]:
        method, params = asked["method"], asked["params"]
        self.calls.append(method)
        try:
            result = getattr(self, method)(*params)
            for fault in self.faults:
                result = fault(method, params, copy.deepcopy(result))
            answer = {"result": result}
        except Refusal as refusal:
            answer = {"error": refusal.error}
        return {"jsonrpc": "2.0", "id": asked["id"], **answer}

    def getSignaturesForAddress(self, address: str, config: dict[str, Any]) -> list[dict[str, Any]]:
        newest_first = [
            signature
            for signature, result in reversed(self.results.items())
            if signature not in self.hidden and address in keys_of(result) and self._is_at(signature, config)
        ]
        for name in ("before", "until"):
            if config.get(name) in self.forgotten:
                raise Refusal(-32020, "Transaction not found")
        if config.get("until") in newest_first:
            newest_first = newest_first[: newest_first.index(config["until"])]
        if "before" in config:
            newest_first = newest_first[newest_first.index(config["before"]) + 1 :]
        return [self._entry(signature) for signature in newest_first[: min(self.page, config["limit"])]]

    def getMultipleAccounts(self, addresses: list[str], config: dict[str, Any]) -> dict[str, Any]:
        slot = self.market.node.slot
        if config["commitment"] == "finalized" and self.final_slot is not None:
            slot = self.final_slot
        accounts = [self.market.cluster.account(Pubkey.from_string(address)) for address in addresses]
        value = [account and {"data": [base64.b64encode(account.data).decode(), "base64"]} for account in accounts]
        return {"context": {"slot": slot}, "value": value}

    def getGenesisHash(self) -> str:
        return GENESIS

    def getTransaction(self, signature: str, config: dict[str, Any]) -> dict[str, Any] | None:
        assert config["maxSupportedTransactionVersion"] == 1
        if signature in self.forgotten or not self._is_at(signature, config):
            return None
        result = self.results[signature]
        return result if self.places else {key: value for key, value in result.items() if key != "transactionIndex"}

    def getBlock(self, slot: int, config: dict[str, Any]) -> dict[str, Any]:
        within = [result for result in self.results.values() if result["slot"] == slot]
        within.sort(key=lambda result: result["transactionIndex"])
        signatures = {result["transactionIndex"]: result["transaction"]["signatures"][0] for result in within}
        return {"signatures": [signatures.get(index, "other") for index in range(max(signatures) + 1)]}

    def _is_at(self, signature: str, config: dict[str, Any]) -> bool:
        """True where a transaction has reached the commitment that is asked for."""
        if config["commitment"] != "finalized" or self.final_slot is None:
            return True
        return signature not in self.orphaned and self.results[signature]["slot"] <= self.final_slot

    def _entry(self, signature: str) -> dict[str, Any]:
        result = self.results[signature]
        entry = {
            "signature": signature,
            "slot": result["slot"],
            "err": result["meta"]["err"],
            "blockTime": result["blockTime"],
        }
        return entry | ({"transactionIndex": result["transactionIndex"]} if self.places else {})


def keys_of(result: dict[str, Any]) -> set[str]:
    """Every account that a transaction names."""
    loaded = result["meta"].get("loadedAddresses") or {"writable": [], "readonly": []}
    return {*result["transaction"]["message"]["accountKeys"], *loaded["writable"], *loaded["readonly"]}
