"""anchorpy 0.21.0, in an environment of its own, reads and builds what the generated client does."""

from __future__ import annotations

import base64
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import TransactionMetadata

from anchor_client.generated.instructions import register_renter
from anchor_client.generated.pdas import find_renter_profile
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.rules.renter_profile import first_nonce
from anchor_idl.codegen.legacy import legacy
from anchor_idl.codegen.output import GeneratedOutput
from anchor_idl.codegen.parse import parse_idl
from anchor_idl.codegen.python.names import field_name
from anchor_idl.codegen.python.package import package_files
from tests.anchor_client.anchorpy.idl_samples import Samples, plain

ROOT = Path(__file__).parents[3]
CONSUMER = Path(__file__).with_name("consumer.py")
PINS = Path(__file__).with_name("requirements.txt")
COMMAND = (
    os.environ.get("UV", "uv"),
    *("run", "--no-project", "--isolated", "--no-progress", "--with-requirements", str(PINS), "python", str(CONSUMER)),
)
IDLS = {"gpu_market": ROOT / "idl/gpu_market.json", "bazaar": ROOT / "tests/anchor_idl/codegen/idls/bazaar.json"}

pytestmark = pytest.mark.exhaustive


@dataclass(frozen=True)
class Exchange:
    """Everything that one IDL's generated client encoded, and anchorpy's reading of it."""

    accounts: list[Any]
    events: list[Any]
    instructions: list[Instruction]
    decoded: list[Any]
    seen: dict[str, Any]


@pytest.fixture(scope="module", params=sorted(IDLS))
def exchange(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exchange]:
    """One run of the consumer for each IDL."""
    idl = json.loads(IDLS[request.param].read_text())
    root = tmp_path_factory.mktemp("anchorpy")
    package = f"anchorpy_{request.param}"
    GeneratedOutput.folder(root / package, package_files(parse_idl(idl))).write()
    sys.path.insert(0, str(root))
    yield run_consumer(idl, committed_legacy(request.param, idl), package)
    sys.path.remove(str(root))


def committed_legacy(name: str, idl: dict[str, Any]) -> dict[str, Any]:
    committed = IDLS[name].with_suffix(".anchorpy.json")
    data: dict[str, Any] = json.loads(committed.read_text()) if committed.exists() else legacy(idl)
    return data


def run_consumer(idl: dict[str, Any], old: dict[str, Any], package: str) -> Exchange:
    modules = {name: importlib.import_module(f"{package}.{name}") for name in ("accounts", "events", "instructions")}
    samples = Samples(idl, importlib.import_module(f"{package}.types"))
    accounts = [getattr(modules["accounts"], a["name"])(**samples.fields(a["name"])) for a in idl["accounts"]]
    if idl["metadata"]["name"] == "gpu_market":
        accounts.append(modules["accounts"].decode_account(written_by_the_program()))
    events = [getattr(modules["events"], e["name"])(**samples.fields(e["name"])) for e in idl.get("events", [])]
    built = [build(modules["instructions"], samples, instruction) for instruction in idl["instructions"]]
    request = {
        "idl": old,
        "accounts": [encoded(account.encode()) for account in accounts],
        "events": [encoded(event.encode()) for event in events],
        "instructions": [
            {"data": encoded(bytes(b.data)), "accounts": account_tree(i["accounts"], b)}
            for i, b in zip(idl["instructions"], built, strict=True)
        ],
    }
    result = subprocess.run(
        COMMAND,
        cwd=CONSUMER.parent,
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    decoded = [modules["instructions"].decode_instruction(instruction) for instruction in built]
    return Exchange(accounts, events, built, decoded, json.loads(result.stdout))


def written_by_the_program() -> bytes:
    """The data of a zero-copy account that the program's committed build has made."""
    payer, newcomer = Keypair(), Keypair()
    wallet = newcomer.pubkey()
    cluster = LiteSVM().with_mainnet_features()
    cluster.add_program_from_file(PROGRAM_ID, ROOT / "localnet/program/gpu_market.so")
    cluster.airdrop(payer.pubkey(), 10**10)
    instruction = register_renter(
        caller=payer.pubkey(), wallet=wallet, first_nonce=first_nonce(cluster.get_clock().slot)
    )
    message = MessageV0.try_compile(payer.pubkey(), [instruction], [], cluster.latest_blockhash())
    sent = cluster.send_transaction(VersionedTransaction(message, [payer, newcomer]))
    assert isinstance(sent, TransactionMetadata), sent
    account = cluster.get_account(find_renter_profile(wallet)[0])
    assert account is not None
    return account.data


def build(module: ModuleType, samples: Samples, instruction: dict[str, Any]) -> Instruction:
    """An instruction by its builder, with every account passed."""
    spec = module.INSTRUCTIONS[bytes(instruction["discriminator"])]
    args = {name: samples.value(arg["type"]) for name, arg in zip(spec.args.layouts, instruction["args"], strict=True)}
    addresses = {name: samples.value("pubkey") for name in spec.accounts}
    builder = getattr(module, field_name(instruction["name"]))
    built: Instruction = builder(**args, **addresses)
    return built


def account_tree(items: list[dict[str, Any]], built: Instruction) -> dict[str, Any]:
    """The addresses of a built instruction, nested as the IDL groups them."""
    addresses = iter(built.accounts)

    def tree(level: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            item["name"]: tree(item["accounts"]) if "accounts" in item else str(next(addresses).pubkey)
            for item in level
        }

    return tree(items)


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_decode_account__every_account__has_the_same_fields(exchange: Exchange) -> None:
    assert [entry["fields"] for entry in exchange.seen["accounts"]] == [plain(value) for value in exchange.accounts]
    assert [entry["name"] for entry in exchange.seen["accounts"]] == [type(v).__name__ for v in exchange.accounts]


def test_decode_event__every_event__has_the_same_fields(exchange: Exchange) -> None:
    assert [entry["fields"] for entry in exchange.seen["events"]] == [plain(value) for value in exchange.events]


def test_decode_instruction__every_instruction__has_the_same_arguments(exchange: Exchange) -> None:
    for seen, ours in zip(exchange.seen["instructions"], exchange.decoded, strict=True):
        assert (seen["name"], seen["args"]) == (ours.name, plain(tuple(ours.args.values())))


def test_build_instruction__every_instruction__has_the_same_bytes_and_metas(exchange: Exchange) -> None:
    rebuilt = [
        Instruction(
            Pubkey.from_string(seen["program"]),
            base64.b64decode(seen["data"]),
            [AccountMeta(Pubkey.from_string(key), signer, writable) for key, signer, writable in seen["metas"]],
        )
        for seen in exchange.seen["instructions"]
    ]

    assert rebuilt == exchange.instructions
