"""What the OpenAPI description says of all routes together: credentials, refusals, and which ids of lists other routes
take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from indexer.api.errors import Problem

OPTIONAL: list[dict[str, list[str]]] = [{}, {"accessToken": []}, {"apiKey": []}]
"""Credentials are welcome everywhere, and needed where a route says so."""
LISTS = {
    "/api/jobs": ("/api/jobs/{id}", "jobs", "renter"),
    "/api/requests": ("/api/requests/{id}", "requests", "renter"),
    "/api/marketplace/listings": ("/api/marketplace/listings/{id}", "listings", "host_authority"),
    "/api/governance/proposals": ("/api/governance/proposals/{id}", "proposals", "proposer"),
    "/api/governance/votes": ("/api/governance/votes/{proposal}/{voter}", "votes", "voter"),
    "/api/rewards/epochs": ("/api/rewards/epochs/{epoch}", "epochs", None),
    "/api/rewards/stakes": ("/api/rewards/stakes/{owner}", "stakes", "owner"),
    "/api/hosts": ("/api/hosts/{authority}", "hosts", "authority"),
    "/api/bids": ("/api/bids/{job}", "bids", "renter"),
    "/api/burns": ("/api/burns/{source}", "burns", None),
    "/api/fees": ("/api/fees/{vault}/{seq}", "fees", None),
    "/api/payouts": ("/api/payouts/{job}/{seq}", "payouts", None),
    "/api/prices": ("/api/prices/{mint}/{seq}", "prices", None),
}
"""Lists, the paths that take what names a row of theirs, where their rows are, and whose each is."""
NAMES = re.compile(r"{(\w+)}")


def completed(description: dict[str, Any]) -> dict[str, Any]:
    """The description with all that."""
    schemas = description["components"]["schemas"] | {Problem.__name__: Problem.model_json_schema(mode="serialization")}
    description["components"]["schemas"] = dict(sorted(schemas.items()))
    paths = description["paths"]
    for methods in paths.values():
        for operation in methods.values():
            operation.setdefault("security", OPTIONAL)
    for listed, (below, rows, owner) in LISTS.items():
        links = paths[listed]["get"]["responses"]["200"].setdefault("links", {})
        for path, methods in paths.items():
            if path == below or path.startswith(f"{below}/"):
                names = NAMES.findall(below)
                links |= {each["operationId"]: _link(each, names, rows, owner) for each in methods.values()}
    return description


def _link(operation: dict[str, Any], names: Sequence[str], rows: str, owner: str | None) -> dict[str, Any]:
    """To what takes what the first row is named by; what takes a wallet takes its owner's."""
    first = f"$response.body#/{rows}/0"
    parameters = {name: f"{first}/{name}" for name in names}
    link: dict[str, Any] = {"operationId": operation["operationId"], "parameters": parameters}
    return link | ({"requestBody": {"wallet": f"{first}/{owner}"}} if "requestBody" in operation else {})
