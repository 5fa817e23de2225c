"""Addresses of a cluster, and raw calls to it."""

from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Endpoint:
    """Addresses of a cluster."""

    name: str
    http: str
    ws: str

    def call(self, method: str, *params: Any) -> dict[str, Any]:
        """The whole response to one JSON-RPC call."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        response: dict[str, Any] = httpx.post(self.http, json=request, timeout=60).json()
        return response

    def result(self, method: str, *params: Any) -> Any:
        """The result of a call that is to succeed."""
        response = self.call(method, *params)
        assert "error" not in response, response
        return response["result"]

    def error(self, method: str, *params: Any) -> dict[str, Any]:
        """The error of a call that is to fail."""
        error: dict[str, Any] = self.call(method, *params)["error"]
        return error
