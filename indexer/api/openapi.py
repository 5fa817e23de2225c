"""The OpenAPI description says that credentials are welcome everywhere, and needed where a route asks for them."""

from __future__ import annotations

from typing import Any

OPTIONAL: list[dict[str, list[str]]] = [{}, {"accessToken": []}, {"apiKey": []}]


def with_optional_security(description: dict[str, Any]) -> dict[str, Any]:
    """The description, with both schemes on every operation that names none."""
    for methods in description["paths"].values():
        for operation in methods.values():
            operation.setdefault("security", OPTIONAL)
    return description
