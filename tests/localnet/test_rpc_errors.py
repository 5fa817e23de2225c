"""JSON-RPC errors word for word, on the embedded cluster and on a validator."""

from typing import Any

import httpx
import pytest
from solders.signature import Signature

from tests.localnet.endpoint import Endpoint
from tests.processes.patience import PATIENCE

SYSTEM = "1" * 32
TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
UNKNOWN = str(Signature.default())
TRANSACTION = "solana_transaction::versioned::VersionedTransaction"
FAR = 1_000_000_000

REFUSED: list[tuple[str, list[Any], int, str]] = [
    ("nope", [], -32601, "Method not found"),
    ("getBalance", [], -32602, "`params` should have at least 1 argument(s)"),
    ("getBalance", [1], -32602, "Invalid params: invalid type: integer `1`, expected a string."),
    ("getBalance", ["abc"], -32602, "Invalid param: WrongSize"),
    ("getBalance", ["0" * 40], -32602, "Invalid param: Invalid"),
    ("getBalance", [SYSTEM, {"minContextSlot": FAR}], -32016, "Minimum context slot has not been reached"),
    ("getBalance", [SYSTEM, {}, 3], -32602, "Invalid parameters: Expected from 1 to 2 parameters."),
    (
        "getBalance",
        [SYSTEM, "confirmed"],
        -32602,
        'Invalid params: invalid type: string "confirmed", expected struct RpcContextConfig.',
    ),
    ("getSlot", [1], -32602, "Invalid params: invalid type: integer `1`, expected struct RpcContextConfig."),
    (
        "getAccountInfo",
        [TOKEN, {"encoding": "foo"}],
        -32602,
        (
            "Invalid params: unknown variant `foo`, expected one of "
            "`binary`, `base58`, `base64`, `jsonParsed`, `base64+zstd`."
        ),
    ),
    ("getMultipleAccounts", [[SYSTEM] * 101], -32602, "Too many inputs provided; max 100"),
    (
        "getTransaction",
        [UNKNOWN, {"encoding": "foo"}],
        -32602,
        "Invalid params: data did not match any variant of untagged enum RpcEncodingConfigWrapper.",
    ),
    (
        "getTransaction",
        [UNKNOWN, {"commitment": "processed"}],
        -32602,
        "Method does not support commitment below `confirmed`",
    ),
    ("getSignatureStatuses", [[UNKNOWN] * 257], -32602, "Too many inputs provided; max 256"),
    ("getBlock", [FAR], -32004, f"Block not available for slot {FAR}"),
    ("getBlockTime", [FAR], -32004, f"Block not available for slot {FAR}"),
    ("getBlock", ["a"], -32602, 'Invalid params: invalid type: string "a", expected u64.'),
    ("getBlocksWithLimit", [0, 10_000_000], -32602, "Limit too large; max 500000"),
    ("getSignaturesForAddress", [SYSTEM, {"limit": 0}], -32602, "Invalid limit; max 1000"),
    ("getSignaturesForAddress", [SYSTEM, {"before": UNKNOWN}], -32020, f"Transaction {UNKNOWN} not found"),
    ("getTokenAccountBalance", [SYSTEM], -32602, "Invalid param: not a Token account"),
    ("getTokenSupply", [SYSTEM], -32602, "Invalid param: not a Token mint"),
    ("getTokenAccountsByOwner", [SYSTEM, {"mint": SYSTEM}], -32602, "Invalid param: Token mint could not be unpacked"),
    (
        "getTokenAccountsByOwner",
        [SYSTEM, {"programId": SYSTEM}],
        -32602,
        "Invalid param: unrecognized Token program id",
    ),
    (
        "getTokenAccountsByOwner",
        [SYSTEM, {}],
        -32602,
        "Invalid params: invalid value: map, expected map with a single key.",
    ),
    ("getProgramAccounts", [TOKEN, {"filters": [{"dataSize": 1}] * 5}], -32602, "Too many filters provided; max 4"),
    (
        "getProgramAccounts",
        [TOKEN, {"filters": [{"memcmp": {"offset": 0, "bytes": "!!"}}]}],
        -32602,
        "Invalid param: Base58DecodeError(InvalidCharacter { character: '!', index: 0 })",
    ),
    (
        "getProgramAccounts",
        [TOKEN, {"filters": [{"foo": 1}]}],
        -32602,
        "Invalid params: unknown variant `foo`, expected one of `dataSize`, `memcmp`, `tokenAccountState`.",
    ),
    ("isBlockhashValid", ["x"], -32602, "WrongSize"),
    ("getFeeForMessage", ["!!"], -32602, "invalid base64 encoding: InvalidByte(0, 33)"),
    ("getRecentPrioritizationFees", [[SYSTEM] * 129], -32602, "Too many inputs provided; max 128"),
    (
        "getMinimumBalanceForRentExemption",
        [-1],
        -32602,
        "Invalid params: invalid value: integer `-1`, expected usize.",
    ),
    ("requestAirdrop", ["a", 1], -32602, "Invalid param: WrongSize"),
    ("sendTransaction", ["!!"], -32602, "invalid base58 encoding: InvalidCharacter { character: '!', index: 0 }"),
    (
        "sendTransaction",
        ["AAAA", {"encoding": "json"}],
        -32602,
        "unsupported encoding: json. Supported encodings: base58, base64",
    ),
    (
        "sendTransaction",
        ["A" * 1700, {"encoding": "base64"}],
        -32602,
        f"base64 encoded {TRANSACTION} too large: 1700 bytes (max: encoded/raw 1644/1232)",
    ),
    (
        "sendTransaction",
        ["A" * 1600, {"encoding": "base64"}],
        -32602,
        "invalid transaction: Transaction failed to sanitize accounts offsets correctly",
    ),
]

LATER = {"invalid base64 encoding: InvalidByte(0, 33)": "invalid base64 encoding: Invalid symbol 33, offset 0."}
"""Words of Agave 4.4 for errors that 4.2 and the cluster word alike."""

MALFORMED: list[tuple[bytes, dict[str, Any] | None]] = [
    (b"{", {"code": -32700, "message": "Parse error"}),
    (b"", {"code": -32700, "message": "Parse error"}),
    (b"1", {"code": -32700, "message": "Parse error"}),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"getSlot"}', {"code": -32700, "message": "Parse error"}),
    (b'{"jsonrpc":"2.0","id":1}', {"code": -32600, "message": "Invalid request"}),
    (b'{"jsonrpc":"1.0","id":1,"method":"getSlot"}', {"code": -32600, "message": "Invalid request"}),
    (b'{"id":1,"method":"getSlot"}', {"code": -32600, "message": "Unsupported JSON-RPC protocol version"}),
    (b'{"jsonrpc":"2.0","method":"getSlot"}', None),
    (b"[]", None),
]


@pytest.mark.parametrize(("method", "params", "code", "message"), REFUSED)
def test_call__bad_parameters__gives_the_validators_error(
    endpoint: Endpoint, method: str, params: list[Any], code: int, message: str
) -> None:
    error = endpoint.error(method, *params)
    assert error["code"] == code
    assert error["message"] in (message, LATER.get(message))


@pytest.mark.parametrize(("body", "error"), MALFORMED)
def test_post__malformed_request__gives_the_validators_error(
    endpoint: Endpoint, body: bytes, error: dict[str, Any] | None
) -> None:
    response = httpx.post(endpoint.http, content=body, headers={"content-type": "application/json"}, timeout=PATIENCE)
    assert response.status_code == 200
    assert (response.json()["error"] if response.text else None) == error


def test_post__batch__answers_each_call_in_order(endpoint: Endpoint) -> None:
    calls = [
        {"jsonrpc": "2.0", "id": "a", "method": "getHealth"},
        {"jsonrpc": "2.0", "method": "getHealth"},
        {"jsonrpc": "2.0", "id": 2, "method": "nope"},
    ]
    responses = httpx.post(endpoint.http, json=calls, timeout=PATIENCE).json()
    assert [response["id"] for response in responses] == ["a", 2]
    assert responses[0]["result"] == "ok"
    assert responses[1]["error"]["code"] == -32601


def test_post__other_content_type__is_not_supported(endpoint: Endpoint) -> None:
    response = httpx.post(endpoint.http, content=b"{}", headers={"content-type": "text/plain"}, timeout=PATIENCE)
    assert response.status_code == 415


def test_health__get__says_ok(endpoint: Endpoint) -> None:
    assert httpx.get(endpoint.http + "/health", timeout=PATIENCE).text == "ok"
