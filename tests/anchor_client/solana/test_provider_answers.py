"""Answers as providers' nodes give them: limits in HTTP 200, rounded numbers, missing methods, empty pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import ID as SYSTEM_PROGRAM

from anchor_client.errors import RateLimited, RpcRefused, UnreadableAnswer
from anchor_client.service.backoff import Backoff
from anchor_client.solana import node as nodes
from anchor_client.solana.http.answer import HttpAnswer
from anchor_client.solana.json_rpc import JsonRpc, Retries
from anchor_client.solana.json_rpc.batch import call_many
from anchor_client.solana.json_rpc.refusals import refusal_of
from anchor_client.solana.node import NodeClient
from tests.anchor_client.solana.links import Answering

ROUNDED = 18_446_744_073_709_552_000
Answer = Callable[[str, list[Any]], Any]
"""The result of a method, or a refusal as a dict with `code`."""


def node(*answers: Answer, attempts: int = 3) -> NodeClient:
    """A client of nodes that answer so."""

    def connect(url: str) -> Answering:
        answer = answers[int(url.rpartition(":")[2])]

        def one(asked: dict[str, Any]) -> dict[str, Any]:
            found = answer(asked["method"], asked["params"])
            part = {"error": found} if isinstance(found, dict) and "code" in found else {"result": found}
            return {"jsonrpc": "2.0", "id": asked["id"], **part}

        return Answering(lambda body: HttpAnswer(200, json.dumps(one(json.loads(body)))))

    urls = [f"http://node.example:{place}" for place in range(len(answers))]
    client = NodeClient(",".join(urls))
    client._http = client._rpc = JsonRpc(urls, retries=Retries(attempts, Backoff(0, 0.01)), connect=connect)
    return client


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-32429, "rate limited"),
        (-32097, "daily request count exceeded, request rate limited"),
        (-32007, "15/second request limit reached - reduce calls per second or upgrade your account"),
        (-32003, "daily request limit reached - upgrade your account"),
        (429, "Your app has exceeded its compute units per second capacity."),
        (-32005, "Too many requests from your IP"),
        (-32000, "You exceeded your monthly credits"),
        (-32600, "Rate limit exceeded"),
        (1015, "request throttled"),
        (-32000, "monthly quota used up"),
        (-32000, "daily limit reached"),
        (-32000, "requests per second limit"),
        (-32029, "RPS limit"),
        (15, "Too many request, try again later"),
        (-33000, "max usage reached"),
        (-32016, "The limit of requests for this method was hit"),
        (-32012, "credits limited to 6000/sec"),
        (-32001, "requests limited to 15/sec"),
        (-32600, "Usage limit exceeded"),
        (-32600, "CU limit reached"),
        (-32003, "You have used up your credits"),
        (-32003, "The requests per second (RPS) of your requests are higher than your plan allows."),
        (-32600, "The requests per second (RPS) on your account has exceeded its limit"),
        (-32600, "Too many connections"),
        (-32600, "exceeded maximum throughput"),
        (-32000, "You have exhausted your API calls"),
        (-32000, "Your plan's monthly compute units have been used up"),
        (-32000, "This API key has run out of requests"),
        (-32000, "daily cap reached"),
        (-32000, "no more requests available"),
        (-32000, "Reached maximum number of requests"),
        (-32000, "request blocked: too frequent"),
    ],
)
async def test_refusal__limit_of_a_provider__is_tried_again(code: int, words: str) -> None:
    assert isinstance(refusal_of(code, words), RateLimited)
    answers = iter([{"code": code, "message": words}, 7])
    assert await node(lambda method, params: next(answers)).get_slot() == 7


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-32007, "Slot 5 was skipped, or missing due to ledger jump to recent snapshot"),
        (-32002, "Transaction simulation failed: Error processing Instruction 0: request limit reached"),
        (-32602, "Too many inputs provided; max 100"),
        (-32000, "exceeded limit of 10 accounts per request"),
        (-32600, "exceeded maximum number of keys in the request"),
        (-32005, "Node is unhealthy"),
        (-32016, "Minimum context slot has not been reached"),
        (-32004, "Block not available for slot 7"),
        (-32015, "Transaction version (1) is not supported by the requesting client."),
        (-32603, "Internal error: account exceeds the limit of memory"),
        (-32012, "scan aborted: The accumulated scan results exceeded the limit"),
        (-32602, "Too many connections in the filter: limit exceeded"),
        (-32000, "Batch size limit exceeded"),
        (-32600, "Batch limit reached"),
        (-32000, "block range limit exceeded"),
        (-32000, "response size limit reached"),
    ],
)
def test_refusal__of_another_kind__is_no_limit(code: int, words: str) -> None:
    assert isinstance(refusal_of(code, words), RpcRefused)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (30, "Request timeout on the free tier, please upgrade your tier to the paid one"),
        (-32404, "Not Found"),
        (-32000, "No matched providers found"),
        (1, "internal"),
    ],
)
async def test_refusal__of_what_is_before_the_node__is_tried_again_and_elsewhere(code: int, words: str) -> None:
    refusal = {"code": code, "message": words}
    answers = iter([refusal, "ok"])
    assert await node(lambda method, params: next(answers)).get_health() == "ok"

    def refusing(method: str, params: list[Any]) -> Any:
        return 7 if method == "getSlot" else refusal

    other = node(refusing, lambda method, params: 7 if method == "getSlot" else "ok", attempts=1)
    assert await other.get_health() == "ok"


async def test_call__one_node_is_limited__another_is_asked() -> None:
    def limited(method: str, params: list[Any]) -> Any:
        return 7 if method == "getSlot" else {"code": -32429, "message": "rate limited"}

    assert await node(limited, lambda method, params: 7 if method == "getSlot" else "ok").get_health() == "ok"


async def test_call_many__whole_batch_is_limited__batches_are_sent_again_later() -> None:
    rpc = JsonRpc(
        "http://node.example",
        retries=Retries(3, Backoff(0, 0.01)),
        connect=lambda _: Answering(lambda body: next(answers)),
    )
    good = [HttpAnswer(200, json.dumps({"jsonrpc": "2.0", "id": 1, "result": n})) for n in (1, 2)]
    limit = {"jsonrpc": "2.0", "error": {"code": -32429, "message": "rate limited"}, "id": None}
    answers = iter([HttpAnswer(200, json.dumps(limit)), *good])
    read: Callable[[str], int] = lambda raw: int(json.loads(raw)["result"])  # noqa: E731
    assert await call_many(rpc, "getSlot", [([], read), ([], read)]) == [1, 2]
    assert rpc.endpoints[0].takes_batches


def account(**changes: Any) -> dict[str, Any]:
    plain = {"data": ["AAAA", "base64"], "executable": False, "lamports": 2**64 - 1, "owner": str(SYSTEM_PROGRAM)}
    return {**plain, "rentEpoch": ROUNDED, "space": 3, **changes}


@pytest.mark.parametrize("epoch", [ROUNDED, 1.8446744073709552e19, 2**64 - 1, 0, None, "18446744073709551615"])
async def test_accounts__rent_epoch_of_any_kind__are_read(epoch: object) -> None:
    key = Pubkey.new_unique()

    def answer(method: str, params: list[Any]) -> Any:
        if method == "getProgramAccounts":
            return [{"pubkey": str(key), "account": account(rentEpoch=epoch)}]
        return {"context": {"slot": 5}, "value": [None, account(rentEpoch=epoch)]}

    client = node(answer)
    none, found = await client.get_multiple_accounts([key, key])
    [keyed] = await client.get_program_accounts(SYSTEM_PROGRAM, [])
    assert none is None and found is not None and keyed.pubkey == key
    for each in (found, keyed.account):
        assert (each.data, each.owner, each.lamports, each.executable) == (bytes(3), SYSTEM_PROGRAM, 2**64 - 1, False)


@pytest.mark.parametrize(
    "changes",
    [
        {"data": ["?", "base64"]},
        {"data": ["", "base58"]},
        {"lamports": -1},
        {"lamports": 2**64},
        {"owner": "x"},
        {"executable": 1},
        {"owner": None},
    ],
    ids=str,
)
async def test_accounts__that_are_none__are_named(changes: dict[str, Any]) -> None:
    client = node(lambda method, params: {"context": {"slot": 5}, "value": [account(**changes)]}, attempts=1)
    with pytest.raises(UnreadableAnswer):
        await client.get_multiple_accounts([SYSTEM_PROGRAM])


@pytest.mark.parametrize("refusal", [(-32601, "Method not found"), (-32429, "rate limited"), (-32000, "not offered")])
async def test_fees__node_that_does_not_tell_them__are_the_last_or_none(refusal: tuple[int, str]) -> None:
    told: list[Any] = [dict(zip(("code", "message"), refusal, strict=True))]
    client = node(lambda method, params: told[-1], attempts=1)
    assert list(await client.get_recent_prioritization_fees([])) == []
    told.append([{"slot": 1, "prioritizationFee": 7}])
    assert [fee.prioritization_fee for fee in await client.get_recent_prioritization_fees([])] == [7]
    told.pop()
    assert [fee.prioritization_fee for fee in await client.get_recent_prioritization_fees([])] == [7]


@pytest.mark.parametrize(
    "silence",
    [
        {"code": -32601, "message": "Method not found"},
        None,
        *({"context": {"slot": 5}, "value": value} for value in (None, -1, "7000", 10**9 + 1, 2**64 - 1, 2**64)),
    ],
)
async def test_signature_fee__node_that_tells_it_and_then_does_not__is_the_last_known(
    silence: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No value is the answer where a node does not know the blockhash yet; the others are no price of a signature."""
    monkeypatch.setattr(nodes, "SIGNATURE_FEE_SECONDS", 0.0)
    told = silence
    client = node(lambda method, params: BLOCKHASH if method == "getLatestBlockhash" else told, attempts=1)
    assert await client.signature_fee() == 5_000
    told = {"context": {"slot": 5}, "value": 7_000}
    assert await client.signature_fee() == 7_000
    told = silence
    assert await client.signature_fee() == 7_000


async def test_signature_fee__asked_twice__is_read_once() -> None:
    asked: list[str] = []

    def answer(method: str, params: list[Any]) -> Any:
        asked.append(method)
        return BLOCKHASH if method == "getLatestBlockhash" else {"context": {"slot": 5}, "value": 7_000}

    client = node(answer)
    assert [await client.signature_fee() for _ in range(2)] == [7_000] * 2
    assert asked == ["getLatestBlockhash", "getFeeForMessage"]


BLOCKHASH = {"context": {"slot": 5}, "value": {"blockhash": str(Hash.default()), "lastValidBlockHeight": 9}}
LISTED = {
    "signature": str(Keypair().sign_message(b"listed")),
    "slot": 1,
    "err": None,
    "memo": None,
    "blockTime": None,
    "confirmationStatus": "finalized",
}


@pytest.mark.parametrize("nodes", [1, 2])
async def test_signatures__empty_page_behind_another__is_looked_at_again(nodes: int) -> None:
    pages: list[list[Any]] = [[LISTED], []]
    fixed = [lambda: [], lambda: [LISTED]] if nodes == 2 else [pages.pop]

    def answering(page: Callable[[], list[Any]]) -> Answer:
        return lambda method, params: page() if method == "getSignaturesForAddress" else 7

    client = node(*map(answering, fixed))
    before = Signature.default()
    assert len(await client.get_signatures_for_address(SYSTEM_PROGRAM, before=before, limit=1)) == 1


async def test_signatures__node_that_has_not_kept_the_transaction_yet__is_asked_again() -> None:
    answers = iter([{"code": -32020, "message": f"Transaction {Signature.default()} not found"}, [LISTED]])
    client = node(lambda method, params: next(answers))
    assert len(await client.get_signatures_for_address(SYSTEM_PROGRAM, until=Signature.default(), limit=1)) == 1
