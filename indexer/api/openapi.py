"""What the OpenAPI description says of all routes together: credentials, and which ids of lists other routes take."""

from __future__ import annotations

from typing import Any

OPTIONAL: list[dict[str, list[str]]] = [{}, {"accessToken": []}, {"apiKey": []}]
"""Credentials are welcome everywhere, and needed where a route says so."""
LISTS = {
    "/api/jobs": ("/api/jobs/{id}", "jobs", "renter"),
    "/api/requests": ("/api/requests/{id}", "requests", "renter"),
    "/api/marketplace/listings": ("/api/marketplace/listings/{id}", "listings", "host_authority"),
    "/api/governance/proposals": ("/api/governance/proposals/{id}", "proposals", "proposer"),
}
"""Lists, the paths that take an id of theirs, where their rows are, and whose each is."""


def completed(description: dict[str, Any]) -> dict[str, Any]:
    """The description with all that."""
    paths = description["paths"]
    for methods in paths.values():
        for operation in methods.values():
            operation.setdefault("security", OPTIONAL)
    for listed, (below, rows, owner) in LISTS.items():
        links = paths[listed]["get"]["responses"]["200"].setdefault("links", {})
        for path, methods in paths.items():
            if path == below or path.startswith(f"{below}/"):
                links |= {operation["operationId"]: _link(operation, rows, owner) for operation in methods.values()}
    return description


def _link(operation: dict[str, Any], rows: str, owner: str) -> dict[str, Any]:
    """To what takes the first row's id; what takes a wallet takes its owner's."""
    first = f"$response.body#/{rows}/0"
    link: dict[str, Any] = {"operationId": operation["operationId"], "parameters": {"id": f"{first}/id"}}
    return link | ({"requestBody": {"wallet": f"{first}/{owner}"}} if "requestBody" in operation else {})
