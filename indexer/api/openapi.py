"""Parts of the OpenAPI description that all routes share: credentials, refusals, and links from ids in lists to the
routes that take them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from indexer.api.errors import Problem, refusals
from indexer.api.examples import with_examples

NOT_JSON = {"description": "The body is not JSON."} | refusals(400)[400]
OPTIONAL: list[dict[str, list[str]]] = [{}, {"accessToken": []}, {"apiKey": []}]
"""Credentials are welcome everywhere, and needed where a route says so."""


class Linked(NamedTuple):
    """A list whose rows name what another path takes."""

    listed: str
    below: str
    rows: str
    owner: str | None = None
    """The field with the wallet whose a row is."""
    fields: Mapping[str, str] = {}
    """Of a row, for names of the path that it does not have."""

    def value(self, name: str) -> str:
        """Expression for a name of the path: from the list's own path, or from its first row."""
        if f"{{{name}}}" in self.listed:
            return f"$request.path.{name}"
        return f"$response.body#/{self.rows}/0/{self.fields.get(name, name)}"


LINKS = (
    Linked("/api/jobs", "/api/jobs/{id}", "jobs", "renter"),
    Linked("/api/jobs", "/api/sealed-orders/{renter}/{order_hash}", "jobs"),
    Linked("/api/requests", "/api/requests/{id}", "requests", "renter"),
    Linked("/api/marketplace/listings", "/api/marketplace/listings/{id}", "listings", "host_authority"),
    Linked("/api/governance/proposals", "/api/governance/proposals/{id}", "proposals", "proposer"),
    Linked("/api/governance/votes", "/api/governance/votes/{proposal}/{voter}", "votes", "voter"),
    Linked("/api/rewards/epochs", "/api/rewards/epochs/{epoch}", "epochs"),
    Linked("/api/rewards/stakes", "/api/rewards/stakes/{owner}", "stakes", "owner"),
    Linked("/api/hosts", "/api/hosts/{authority}", "hosts", "authority"),
    Linked("/api/hosts", "/api/mfp/{host}", "hosts", fields={"host": "authority"}),
    Linked("/api/bids", "/api/bids/{job}", "bids", "renter"),
    Linked("/api/burns", "/api/burns/{source}", "burns"),
    Linked("/api/fees", "/api/fees/{vault}/{seq}", "fees"),
    Linked("/api/payouts", "/api/payouts/{job}/{seq}", "payouts"),
    Linked("/api/payouts", "/api/transactions/{signature}", "payouts", fields={"signature": "tx"}),
    Linked("/api/prices", "/api/prices/{mint}/{seq}", "prices"),
    Linked("/api/webhooks", "/api/webhooks/{id}", "webhooks"),
    Linked(
        "/api/webhooks/{id}/deliveries",
        "/api/webhooks/{id}/deliveries/{delivery}",
        "deliveries",
        fields={"delivery": "id"},
    ),
)
NAMES = re.compile(r"{(\w+)}")


def completed(description: dict[str, Any]) -> dict[str, Any]:
    """The description with all that."""
    schemas = description["components"]["schemas"] | {Problem.__name__: Problem.model_json_schema(mode="serialization")}
    description["components"]["schemas"] = dict(sorted(schemas.items()))
    paths = description["paths"]
    for methods in paths.values():
        for operation in methods.values():
            operation.setdefault("security", OPTIONAL)
            if "requestBody" in operation:
                operation["responses"].setdefault("400", NOT_JSON)
    for linked in LINKS:
        links = paths[linked.listed]["get"]["responses"]["200"].setdefault("links", {})
        names = NAMES.findall(linked.below)
        for path, methods in paths.items():
            if (path == linked.below or path.startswith(f"{linked.below}/")) and NAMES.findall(path) == names:
                links |= {each["operationId"]: _link(each, names, linked) for each in methods.values()}
    with_examples(description)
    return description


def _link(operation: dict[str, Any], names: Sequence[str], linked: Linked) -> dict[str, Any]:
    """To what takes what the first row is named by; what takes a wallet takes its owner's."""
    link = {"operationId": operation["operationId"], "parameters": {name: linked.value(name) for name in names}}
    if "requestBody" not in operation or linked.owner is None:
        return link
    return link | {"requestBody": {"wallet": linked.value(linked.owner)}}
