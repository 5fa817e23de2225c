"""A program that uses anchorpy 0.21.0; runs in an environment of the packages in requirements.txt.

Reads {"idl", "accounts": [base64], "events": [base64], "instructions": [{"data", "accounts"}]} from stdin.
Writes each account, event and instruction as anchorpy decodes it, and each instruction as anchorpy builds it from the
arguments it decoded.
"""

# mypy: ignore-errors
# Its imports exist only in that environment.

from __future__ import annotations

import base64
import dataclasses
import json
import sys
from typing import Any

from anchorpy import Context, Idl, Program, Provider, Wallet
from solana.rpc.async_api import AsyncClient
from solders.pubkey import Pubkey


def plain(value: Any) -> Any:
    """A decoded value as JSON: addresses as base58, bytes as lists, variants as [index, fields]."""
    if isinstance(value, Pubkey):
        return str(value)
    if isinstance(value, bytes):
        return list(value)
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "_sumtype_attribs"):
        return [value.index, [plain(getattr(value, name)) for name, _ in value._sumtype_attribs]]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items() if not name.startswith("_")}
    return value


def account(program: Program, data: bytes) -> dict[str, Any]:
    decoded = program.coder.accounts.parse(data)
    return {"name": decoded.name, "fields": plain(decoded.data)}


def event(program: Program, data: bytes) -> dict[str, Any]:
    decoded = program.coder.events.parse(data)
    return {"name": decoded.name, "fields": plain(decoded.data)}


def argument(value: Any) -> Any:
    """A decoded value as an argument: structs as dicts, because anchorpy cannot encode a dataclass with addresses."""
    if dataclasses.is_dataclass(value):
        return {field.name: argument(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list):
        return [argument(item) for item in value]
    return value


def keys(accounts: dict[str, Any]) -> dict[str, Any]:
    return {
        name: keys(value) if isinstance(value, dict) else Pubkey.from_string(value) for name, value in accounts.items()
    }


def instruction(program: Program, data: bytes, accounts: dict[str, Any]) -> dict[str, Any]:
    decoded = program.coder.instruction.parse(data)
    args = [value for name, value in decoded.data.items() if not name.startswith("_")]
    built = program.instruction[decoded.name](*map(argument, args), ctx=Context(accounts=keys(accounts)))
    return {
        "name": decoded.name,
        "args": plain(args),
        "program": str(built.program_id),
        "data": base64.b64encode(bytes(built.data)).decode(),
        "metas": [[str(meta.pubkey), meta.is_signer, meta.is_writable] for meta in built.accounts],
    }


def main() -> None:
    request = json.load(sys.stdin)
    provider = Provider(AsyncClient("http://127.0.0.1:1"), Wallet.dummy())
    address = Pubkey.from_string(request["idl"]["metadata"]["address"])
    program = Program(Idl.from_json(json.dumps(request["idl"])), address, provider)
    seen = {
        "accounts": [account(program, base64.b64decode(data)) for data in request["accounts"]],
        "events": [event(program, base64.b64decode(data)) for data in request["events"]],
        "instructions": [
            instruction(program, base64.b64decode(entry["data"]), entry["accounts"])
            for entry in request["instructions"]
        ],
    }
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
