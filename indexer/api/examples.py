"""Examples of what requests say and answers tell, made from their descriptions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

ADDRESS: Final = "So11111111111111111111111111111111111111112"
SIGNATURE: Final = "1" * 64
MOMENT: Final = 1_800_000_000
DIGEST: Final = "ab" * 32
BY_NAME: Final[tuple[tuple[str, Any], ...]] = (
    (r"(\w+_)?(at|until|by|since)|ts|as_of|chain_time", MOMENT),
    (r"\w*_bps", 9_500),
    (r"(\w+_)?usd|micro_usd_per_hour", 2_500_000),
    (r"\w*decimals", 6),
    (r"\w*duration|seconds", 3_600),
    (r"(\w+_)?slot|last_valid_block_height|height", 250_000_000),
    (r"(\w+_)?tx|signature", SIGNATURE),
    (r"order_hash|seal_key|sha256|connection", DIGEST),
    (r"sealed|transaction|signed_message", "AQID"),
    (r"next_cursor", "eyJpZCI6Mn0="),
    (r"nonce", "1"),
    (r"gpus?|model", "nvidia-h100-pcie-80gb"),
    (r"region|near", "eu-west"),
    (r"token|symbol|label", "GPUM"),
    (r"types", "rental_started"),
    (r"topics?", "network"),
    (r"icon|url|uri|href", "https://example.com/gpu-market"),
    (r"domain", "example.com"),
    (r"error", "listing_occupied"),
    (r"title|name|notes|message|statement|description|detail|remedy|body", "A name, or a sentence"),
    (r"value|from|to|min|max", "1"),
)
"""Examples for fields without their own, by the whole name: the first that fits a text or number of that kind."""
TEXT_OF_PATTERN: Final = (ADDRESS, SIGNATURE, DIGEST, "1000000", "AQID", "1", "host-fault")
"""Texts that a pattern may ask for."""


def with_examples(description: dict[str, Any]) -> None:
    """Gives each body of a request and each JSON answer an example, in place."""
    schemas = description["components"]["schemas"]
    for methods in description["paths"].values():
        for operation in methods.values():
            answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
            for described in filter(None, (operation.get("requestBody"), *answers)):
                media = described.get("content", {}).get("application/json")
                if media is not None and "example" not in media and "examples" not in media:
                    media["example"] = example_of(media["schema"], schemas)


def example_of(schema: Mapping[str, Any], schemas: Mapping[str, Any], name: str = "") -> Any:
    """A value that the schema allows; `name` is the field's that holds it."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas, name)
    for known in ("example", "const"):
        if known in schema:
            return schema[known]
    for listed in ("examples", "enum"):
        if schema.get(listed):
            return schema[listed][0]
    if schema.get("default") is not None:
        return schema["default"]
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            return example_of(schema[union][0], schemas, name)
    match schema.get("type"):
        case "object":
            return _object(schema, schemas)
        case "array":
            return [example_of(schema.get("items", {}), schemas, name)]
        case "integer" | "number":
            return _number(schema, name)
        case "boolean":
            return True
        case "null":
            return None
    return _text(schema, name)


def _object(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """All required fields, and the optional ones with their own example."""
    required = schema.get("required", ())
    fields = schema.get("properties", {}).items()
    return {key: example_of(field, schemas, key) for key, field in fields if key in required or "examples" in field}


def _number(schema: Mapping[str, Any], name: str) -> int:
    named = next((value for pattern, value in BY_NAME if isinstance(value, int) and re.fullmatch(pattern, name)), 1)
    least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    most = schema.get("maximum", schema.get("exclusiveMaximum", 2**53) - 1)
    return int(min(max(named, least), most))


def _text(schema: Mapping[str, Any], name: str) -> str:
    named = [value for pattern, value in BY_NAME if isinstance(value, str) and re.fullmatch(pattern, name)]
    pattern = schema.get("pattern", "")
    fitting = (text for text in (*named, *TEXT_OF_PATTERN) if re.search(pattern, text))
    return next(fitting, "")
