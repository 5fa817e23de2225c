"""Anchor's published TypeScript clients as a process that builds and sends instructions."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.instructions import INSTRUCTIONS
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl.codegen.legacy import camel
from anchor_idl.runtime.instructions import InstructionSpec
from tests.clients.npm import installed
from tests.docs.pages import ROOT
from tests.program.harness.keys import address, keypair_of

IDL_FILE = ROOT / "idl/gpu_market.json"
IDL: dict[str, Any] = json.loads(IDL_FILE.read_text())
TYPES: dict[str, dict[str, Any]] = {each["name"]: each["type"] for each in IDL["types"]}
BY_NAME: dict[str, dict[str, Any]] = {each["name"]: each for each in IDL["instructions"]}
SOURCES = Path(__file__).parent / "official"
CLIENTS = ("@coral-xyz/anchor", "@anchor-lang/core")
LINE_BYTES = 2**24


class ClientFailed(AssertionError):
    """A client refused, or its transaction failed."""


@dataclass(slots=True)
class OfficialClients:
    """Both clients in a Node.js process, on one cluster."""

    process: asyncio.subprocess.Process
    rpc: str
    payer: Keypair = field(default_factory=lambda: keypair_of(address("fee payer")))

    @classmethod
    async def start(cls, directory: Path, rpc: str) -> OfficialClients:
        """Starts the process in a folder of its own."""
        script = directory / "client.mjs"
        script.write_text((SOURCES / script.name).read_text())
        (directory / "node_modules").symlink_to(installed(SOURCES, "official"))
        pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
        process = await asyncio.create_subprocess_exec("node", str(script), str(IDL_FILE), limit=LINE_BYTES, **pipes)
        return cls(process, rpc)

    async def call(self, call: str, client: str = "", request: Any = None) -> Any:
        """Result of a call of client.mjs; ClientFailed with what the client says."""
        assert self.process.stdin is not None and self.process.stdout is not None
        asked = {"client": client, "rpc": self.rpc, "payer": list(bytes(self.payer)), "call": call, "request": request}
        self.process.stdin.write(json.dumps(asked).encode() + b"\n")
        answer = json.loads(await self.process.stdout.readline())
        if "error" in answer:
            raise ClientFailed("\n".join([answer["error"], *(answer.get("logs") or [])]))
        return answer["result"]

    async def stop(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self.process.wait()


def request_of(instruction: Instruction) -> dict[str, Any]:
    """An instruction as its caller asks a client for it: by name, with those accounts that nothing resolves."""
    spec = INSTRUCTIONS[bytes(instruction.data[:8])]
    metas = instruction.accounts
    named = spec.decode(bytes(instruction.data), [meta.pubkey for meta in metas], PROGRAM_ID)
    found = resolved(BY_NAME[spec.name], set(named.accounts))
    signers = {meta.pubkey for meta in metas if meta.is_signer}
    return {
        "name": spec.name,
        "args": [as_json(value) for value in named.args.values()],
        "accounts": _passed(spec, named.accounts, found),
        "rest": shown(instruction)["accounts"][len(spec.accounts) :],
        "signers": [list(bytes(keypair_of(signer))) for signer in sorted(signers, key=bytes)],
    }


def _passed(spec: InstructionSpec, accounts: dict[str, Pubkey], found: set[str]) -> dict[str, str | None]:
    """Absent accounts are passed as such: a client fills in what it can find."""
    return {name: str(accounts[name]) if name in accounts else None for name in spec.accounts if name not in found}


def resolved(instruction: dict[str, Any], present: set[str]) -> set[str]:
    """Names of the accounts that a client finds from the others, as Anchor's do."""
    items = {item["name"]: item for item in instruction["accounts"] if item["name"] in present}
    args = {arg["name"] for arg in instruction["args"]}
    found = {name for name, item in items.items() if "address" in item}
    passed = {name for name, item in items.items() if name not in found and not _ways(item)}
    waiting = set(items) - found - passed
    while waiting:
        known = found | passed
        ready = {name for name in waiting if any(_ready(way, known, args) for way in _ways(items[name]))}
        found |= ready
        waiting -= ready
        if not ready:
            passed.add(min(waiting))
            waiting -= passed
    return found


def _ways(item: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Seeds or accounts from which an account is found, one list a way; callers name signers."""
    if item.get("signer"):
        return []
    ways = [item["pda"]["seeds"]] if "pda" in item else []
    return ways + [[{"kind": "account", "path": name}] for name in item.get("relations", [])[:1]]


def _ready(way: list[dict[str, Any]], known: set[str], args: set[str]) -> bool:
    roots = {seed["path"].split(".")[0]: seed["kind"] for seed in way if seed["kind"] != "const"}
    return all(root in (args if kind == "arg" else known) for root, kind in roots.items())


def shown(instruction: Instruction) -> dict[str, Any]:
    """An instruction as client.mjs prints it."""
    return {
        "data": bytes(instruction.data).hex(),
        "accounts": [
            {"pubkey": str(meta.pubkey), "isSigner": meta.is_signer, "isWritable": meta.is_writable}
            for meta in instruction.accounts
        ],
    }


def as_json(value: Any) -> Any:
    """A generated value for client.mjs: integers as text, bytes in hexadecimal, variants as [index, fields]."""
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, Pubkey):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "VARIANTS"):
        return [value.VARIANTS.index(type(value)), [as_json(each) for each in value.field_values().values()]]
    if hasattr(value, "value"):
        return [value.value, []]
    if is_dataclass(value):
        return {each.name: as_json(getattr(value, each.name)) for each in fields(value)}
    return [as_json(each) for each in value] if isinstance(value, tuple | list) else str(value)


def told(kind: Any, value: Any) -> Any:
    """A generated value as a client decodes it and client.mjs prints it."""
    match kind:
        case {"option": inner}:
            return None if value is None else told(inner, value)
        case {"array": [inner, _]} | {"vec": inner}:
            return [told(inner, each) for each in value]
        case {"defined": {"name": name}}:
            return _defined(TYPES[name], value)
    if isinstance(value, bool | str):
        return value
    return value.hex() if isinstance(value, bytes) else str(value)


def _defined(body: dict[str, Any], value: Any) -> Any:
    if body["kind"] == "struct":
        held = [getattr(value, each.name) for each in fields(value)]
        return _named(body["fields"], held)
    index = int(value) if isinstance(value, int) else value.VARIANTS.index(type(value))
    variant = body["variants"][index]
    held = list(value.field_values().values()) if variant.get("fields") else []
    return {variant["name"][0].lower() + variant["name"][1:]: _named(variant.get("fields", []), held)}


def _named(definitions: list[Any], held: list[Any]) -> dict[str, Any]:
    named = [
        (camel(each["name"]), each["type"]) if isinstance(each, dict) and "type" in each else (str(index), each)
        for index, each in enumerate(definitions)
    ]
    return {name: told(kind, value) for (name, kind), value in zip(named, held, strict=True)}
