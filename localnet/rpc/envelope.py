"""JSON-RPC 2.0 requests and batches."""

import json
import logging
from collections.abc import Callable

from localnet.records import Json
from localnet.rpc.errors import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, RpcError

LOGGER = logging.getLogger(__name__)


Call = Callable[[str, Json], Json]
"""The result of a method with parameters. Raises RpcError."""


def answer(call: Call, body: bytes | str, max_batch: int | None = None) -> str:
    """The response to a request or batch; empty when nothing but notifications was sent."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        request = None
    if not _is_envelope(request):
        return _dump(_failure(None, RpcError(PARSE_ERROR, "Parse error")))
    if isinstance(request, list):
        if max_batch is not None and len(request) > max_batch:
            return _dump(_failure(None, RpcError(INVALID_REQUEST, f"Batch size too large: at most {max_batch} calls")))
        responses = [_answer_one(call, item) for item in request]
        present = [response for response in responses if response is not None]
        return _dump(present) if present else ""
    response = _answer_one(call, request)
    return "" if response is None else _dump(response)


def _is_envelope(request: Json) -> bool:
    """True for a request or a list of requests, with ids that are strings, integers or null."""
    items = request if isinstance(request, list) else [request]
    return all(isinstance(item, dict) and not isinstance(item.get("id"), bool | float | list | dict) for item in items)


def _answer_one(call: Call, request: dict[str, Json]) -> dict[str, Json] | None:
    identifier = request.get("id")
    name = request.get("method")
    if "id" not in request and isinstance(name, str):
        return None
    if "jsonrpc" not in request:
        error = {"code": INVALID_REQUEST, "message": "Unsupported JSON-RPC protocol version"}
        return {"error": error, "id": identifier}
    if request["jsonrpc"] != "2.0" or not isinstance(name, str):
        return _failure(identifier, RpcError(INVALID_REQUEST, "Invalid request"))
    try:
        result = call(name, request.get("params"))
    except RpcError as error:
        return _failure(identifier, error)
    except Exception:
        LOGGER.exception("%s failed", name)
        return _failure(identifier, RpcError(INTERNAL_ERROR, "Internal error"))
    return {"jsonrpc": "2.0", "result": result, "id": identifier}


def _failure(identifier: Json, error: RpcError) -> dict[str, Json]:
    return {"jsonrpc": "2.0", "error": error.to_json(), "id": identifier}


def _dump(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"))
