"""Writes the IDL in the form before Anchor 0.30, which anchorpy reads.

That form has no discriminators: readers hash names. LegacyMismatch if a hash is not what the program uses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from anchor_idl.codegen.errors import LegacyMismatch
from anchor_idl.codegen.python.names import snake

Json = dict[str, Any]


def legacy(idl: Json) -> Json:
    """The old form of an IDL; a type that is an account too is listed twice only if other types mention it."""
    _check_discriminators(idl)
    definitions = {definition["name"]: definition for definition in idl.get("types", ())}
    accounts = {account["name"] for account in idl.get("accounts", ())}
    events = {event["name"] for event in idl.get("events", ())}
    mentioned = set(_mentioned([definition["type"] for definition in definitions.values()]))
    return {
        "version": idl["metadata"]["version"],
        "name": idl["metadata"]["name"],
        "instructions": [_instruction(instruction) for instruction in idl["instructions"]],
        "accounts": [_definition(definitions[name]) for name in sorted(accounts)],
        "types": [
            _definition(definition)
            for name, definition in sorted(definitions.items())
            if name not in accounts | events or name in mentioned
        ],
        "events": [_event(definitions[name]) for name in sorted(events)],
        "errors": [dict(error) for error in idl.get("errors", ())],
        "constants": [
            {"name": constant["name"], "type": _type(constant["type"]), "value": constant["value"]}
            for constant in idl.get("constants", ())
        ],
        "metadata": {"address": idl["address"]},
    }


def camel(name: str) -> str:
    """`open_rental` as openRental."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _check_discriminators(idl: Json) -> None:
    wrong = [
        f"{kind} {entry['name']}"
        for kind, prefix, key in (
            ("instruction", "global", "instructions"),
            ("account", "account", "accounts"),
            ("event", "event", "events"),
        )
        for entry in idl.get(key, ())
        if bytes(entry["discriminator"]) != _hash(prefix, _hashed_name(kind, entry["name"]))
    ]
    if wrong:
        raise LegacyMismatch(f"not the discriminators that readers of the old form compute: {', '.join(wrong)}")


def _hashed_name(kind: str, name: str) -> str:
    """Name that a reader hashes: it turns the camel case of an instruction back into snake case."""
    return snake(camel(name)) if kind == "instruction" else name


def _hash(prefix: str, name: str) -> bytes:
    return hashlib.sha256(f"{prefix}:{name}".encode()).digest()[:8]


def _instruction(data: Json) -> Json:
    return {
        "name": camel(data["name"]),
        **_docs(data),
        "accounts": [_account(account) for account in data["accounts"]],
        "args": [_field(arg) for arg in data["args"]],
    }


def _account(data: Json) -> Json:
    if "accounts" in data:
        return {"name": camel(data["name"]), "accounts": [_account(account) for account in data["accounts"]]}
    return {
        "name": camel(data["name"]),
        "isMut": data.get("writable", False),
        "isSigner": data.get("signer", False),
        **({"isOptional": True} if data.get("optional") else {}),
        **_docs(data),
    }


def _docs(data: Json) -> Json:
    return {"docs": data["docs"]} if data.get("docs") else {}


def _field(data: Json) -> Json:
    return {"name": camel(data["name"]), **_docs(data), "type": _type(data["type"])}


def _definition(data: Json) -> Json:
    body = data["type"]
    match body["kind"]:
        case "struct":
            form: Json = {"kind": "struct", "fields": _fields(body.get("fields") or [])}
        case "enum":
            form = {"kind": "enum", "variants": [_variant(variant) for variant in body["variants"]]}
        case _:
            form = {"kind": "alias", "value": _type(body["alias"])}
    return {"name": data["name"], **_docs(data), "type": form}


def _variant(data: Json) -> Json:
    fields = data.get("fields") or []
    if not fields:
        return {"name": data["name"]}
    named = all(isinstance(field, dict) and "name" in field and "type" in field for field in fields)
    return {"name": data["name"], "fields": _fields(fields) if named else [_type(field) for field in fields]}


def _fields(fields: list[Any]) -> list[Json]:
    return [
        _field(field)
        if isinstance(field, dict) and "name" in field
        else {"name": f"field{index}", "type": _type(field)}
        for index, field in enumerate(fields)
    ]


def _event(data: Json) -> Json:
    fields = _fields(data["type"].get("fields") or [])
    return {"name": data["name"], "fields": [{**_bare(field), "index": False} for field in fields]}


def _bare(field: Json) -> Json:
    return {"name": field["name"], "type": field["type"]}


def _type(data: Any) -> Any:
    match data:
        case "pubkey":
            return "publicKey"
        case "u256" | "i256":
            raise LegacyMismatch(f"the old form has no {data}")
        case str():
            return data
        case {"option": inner}:
            return {"option": _type(inner)}
        case {"vec": inner}:
            return {"vec": _type(inner)}
        case {"array": [inner, length]}:
            return {"array": [_type(inner), length]}
        case {"defined": {"name": name}}:
            return {"defined": name}
    raise LegacyMismatch(f"the old form has no {json.dumps(data)}")


def _mentioned(value: Any) -> Iterable[str]:
    match value:
        case {"defined": {"name": str(name)}}:
            yield name
        case dict():
            for inner in value.values():
                yield from _mentioned(inner)
        case list():
            for inner in value:
                yield from _mentioned(inner)
