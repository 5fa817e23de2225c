"""Builds a program's IDL: its tests print it in blocks, which are joined here."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anchor_idl.codegen.errors import ExtractFailed

_COMMAND = ("cargo", "test", "--lib", "--features", "idl-build", "__anchor_private_print_idl")
_TEST_OPTIONS = ("--", "--show-output", "--quiet", "--test-threads=1")
_BEGIN = "--- IDL begin "
_END = "--- IDL end "
_KEYS = (
    *("code", "name", "version", "spec", "description", "docs", "discriminator", "serialization", "repr"),
    *("kind", "path", "account", "writable", "signer", "optional", "address", "field", "pda", "relations"),
    *("accounts", "args", "fields", "variants", "type", "value", "msg"),
)
_KEY_ORDER = {key: position for position, key in enumerate(_KEYS)}
_SORTED = ("instructions", "accounts", "events", "types", "constants")


def extract(program: Path) -> dict[str, Any]:
    """The IDL of the program in a folder; ExtractFailed if Cargo fails or the program prints none."""
    environment = os.environ | _docs_and_seeds(program)
    try:
        result = subprocess.run(
            [*_COMMAND, *_TEST_OPTIONS], cwd=program, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
    except OSError as error:
        raise ExtractFailed(f"cargo cannot run in {program}: {error}") from error
    if result.returncode:
        raise ExtractFailed(f"cargo test failed in {program}:\n{result.stdout}")
    idl = join_blocks(result.stdout)
    idl["metadata"]["version"] = _version(program)
    return idl


def join_blocks(printed: str) -> dict[str, Any]:
    """The IDL in what the tests printed."""
    address = ""
    idl: dict[str, Any] | None = None
    parts: dict[str, list[Any]] = {"events": [], "errors": [], "constants": []}
    types: dict[str, Any] = {}
    for kind, text in _blocks(printed):
        match kind:
            case "address":
                address = text.strip()
            case "program":
                idl = json.loads(text)
            case "event":
                block = json.loads(text)
                parts["events"].append(block["event"])
                _add_types(types, block["types"])
            case "errors":
                parts["errors"].extend(json.loads(text))
            case "const":
                parts["constants"].append(json.loads(text))
            case _:
                raise ExtractFailed(f"the program printed an unknown block: {kind}")
    if idl is None or not address:
        raise ExtractFailed("the program printed no IDL: has it a feature idl-build and a #[program] module?")
    _add_types(types, idl["types"])
    return _ordered({**idl, **parts, "address": address, "types": list(types.values())})


def _add_types(types: dict[str, Any], definitions: list[Any]) -> None:
    for definition in definitions:
        if types.setdefault(definition["name"], definition) != definition:
            raise ExtractFailed(f"two different types of the program are named {definition['name']}")


def _blocks(printed: str) -> Iterator[tuple[str, str]]:
    kind: str | None = None
    lines: list[str] = []
    for line in printed.splitlines():
        if line.startswith(_BEGIN):
            kind = line.removeprefix(_BEGIN).removesuffix(" ---")
            lines = []
        elif line.startswith(_END):
            if kind is not None:
                yield kind, "\n".join(lines)
            kind = None
        elif kind is not None:
            lines.append(line)
    if kind is not None:
        raise ExtractFailed(f"the block {kind} has no end")


def _ordered(idl: dict[str, Any]) -> dict[str, Any]:
    for key in _SORTED:
        idl[key] = sorted(idl[key], key=lambda entry: str(entry["name"]))
    idl["errors"] = sorted(idl["errors"], key=lambda entry: int(entry["code"]))
    keys = ("address", "metadata", "docs", "instructions", "accounts", "events", "errors", "types", "constants")
    return {key: _tidy(idl[key]) for key in keys if idl.get(key)}


def _tidy(value: Any) -> Any:
    """The same JSON with the keys of every object in the order of the specification."""
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _tidy(value[key]) for key in sorted(value, key=lambda key: (_KEY_ORDER.get(key, len(_KEY_ORDER)), key))
    }


def _docs_and_seeds(program: Path) -> dict[str, str]:
    return {
        "ANCHOR_IDL_BUILD_NO_DOCS": "FALSE",
        "ANCHOR_IDL_BUILD_RESOLUTION": "TRUE",
        "ANCHOR_IDL_BUILD_PROGRAM_PATH": str(program.resolve()),
    }


def _version(program: Path) -> str:
    manifest = tomllib.loads((program / "Cargo.toml").read_text())
    version = manifest["package"]["version"]
    if isinstance(version, str):
        return version
    for folder in program.resolve().parents:
        candidate = folder / "Cargo.toml"
        if candidate.exists():
            workspace = tomllib.loads(candidate.read_text()).get("workspace", {})
            if "version" in workspace.get("package", {}):
                return str(workspace["package"]["version"])
    raise ExtractFailed(f"{program} takes its version from a workspace that has none")
