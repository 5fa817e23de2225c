"""Instructions and accounts of the Program Metadata program are those of its published client."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from solders.account import Account
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana import program_metadata as metadata
from anchor_client.solana.loader import program_data

SOURCES = Path(__file__).parent / "javascript"
SECONDS = 60
INSTALL_SECONDS = 180
OWN, DRAFT, OTHER = (Keypair().pubkey() for _ in range(3))
IDL = metadata.metadata_address(PROGRAM_ID, "idl")
SECURITY = metadata.metadata_address(PROGRAM_ID, "security")
CODE = {"program": PROGRAM_ID, "programData": program_data(PROGRAM_ID)}
KEPT = {"encoding": 1, "compression": 2, "format": 1, "dataSource": 0}


def call(built: Instruction, name: str, authority: Pubkey, **given: object) -> tuple[Instruction, dict[str, Any]]:
    """An instruction, and the call of the published client that builds it."""
    said = {key: str(value) if isinstance(value, Pubkey) else value for key, value in given.items()}
    return built, {"name": f"get{name}Instruction", "input": {"authority": str(authority)} | said}


CALLS = [
    call(metadata.allocate(PROGRAM_ID, OWN, "idl"), "Allocate", OWN, buffer=IDL, seed="idl", **CODE),
    call(metadata.allocate_apart(DRAFT), "Allocate", DRAFT, buffer=DRAFT, seed=None),
    call(metadata.extend(IDL, OWN, 10_240, PROGRAM_ID), "Extend", OWN, account=IDL, length=10_240, **CODE),
    call(metadata.extend(DRAFT, OWN, 7), "Extend", OWN, account=DRAFT, length=7),
    call(metadata.write(DRAFT, OWN, 70_000, b"abc"), "Write", OWN, buffer=DRAFT, offset=70_000, data=b"abc".hex()),
    call(
        metadata.initialize(PROGRAM_ID, OWN, "security"),
        "Initialize",
        OWN,
        metadata=SECURITY,
        seed="security",
        system=metadata.METADATA_PROGRAM,
        **CODE,
        **KEPT,
    ),
    call(metadata.set_data(PROGRAM_ID, OWN, "idl", DRAFT), "SetData", OWN, metadata=IDL, buffer=DRAFT, **CODE, **KEPT),
    call(metadata.set_authority(DRAFT, DRAFT, OWN), "SetAuthority", DRAFT, account=DRAFT, newAuthority=OWN),
    call(
        metadata.set_authority(IDL, OWN, None, PROGRAM_ID), "SetAuthority", OWN, account=IDL, newAuthority=None, **CODE
    ),
    call(metadata.trim(IDL, OWN, OTHER, PROGRAM_ID), "Trim", OWN, account=IDL, destination=OTHER, **CODE),
    call(metadata.close(IDL, OWN, OTHER, PROGRAM_ID), "Close", OWN, account=IDL, destination=OTHER, **CODE),
    call(metadata.close(DRAFT, OWN, OTHER), "Close", OWN, account=DRAFT, destination=OTHER),
]
CONTENT = json.dumps({"name": "gpu-market", "text": "x" * 500}).encode()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script with its package installed; skipped without node and npm, but not in CI."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node and npm are not on PATH")
        pytest.skip("node and npm are not on PATH")
    directory = tmp_path_factory.mktemp("javascript")
    shutil.copytree(SOURCES, directory, dirs_exist_ok=True)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(command, cwd=directory, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    return directory


@pytest.fixture(scope="module")
def told(package: Path) -> Any:
    """Output of the published client for the same calls, address and account."""
    account = KEPT | {
        "program": str(PROGRAM_ID),
        "authority": str(OTHER),
        "mutable": True,
        "canonical": True,
        "seed": "idl",
        "dataLength": len(metadata.compressed(CONTENT)),
        "data": metadata.compressed(CONTENT).hex(),
    }
    given = {
        "calls": [wanted for _, wanted in CALLS],
        "address": {"program": str(PROGRAM_ID), "seed": "idl"},
        "account": account,
    }
    ended = subprocess.run(
        ["node", "metadata.js"],
        check=False,
        cwd=package,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.exhaustive
def test_instructions__every_one__is_the_published_client_s(told: Any) -> None:
    for (own, wanted), theirs in zip(CALLS, told["built"], strict=True):
        accounts = [[str(meta.pubkey), 2 * meta.is_signer + meta.is_writable] for meta in own.accounts]
        ours = {"program": str(own.program_id), "accounts": accounts, "data": bytes(own.data).hex()}
        assert ours == theirs, wanted


@pytest.mark.exhaustive
def test_account__written_by_the_published_client__is_read_and_the_other_way_round(told: Any) -> None:
    assert told["address"] == str(IDL)
    found = metadata.Metadata.read(Account(1, bytes.fromhex(told["account"]), metadata.METADATA_PROGRAM))
    assert found is not None and (found.authority, found.final, found.content) == (OTHER, False, CONTENT)
    assert told["content"] == CONTENT.decode()


def test_account__of_another_owner_or_kind__is_no_metadata() -> None:
    data = bytes(200)
    assert metadata.Metadata.read(None) is None
    assert metadata.Metadata.read(Account(1, b"\2" + data, PROGRAM_ID)) is None
    assert metadata.Metadata.read(Account(1, b"\1" + data, metadata.METADATA_PROGRAM)) is None
    assert metadata.Draft.read(Account(1, b"\1" + data, metadata.METADATA_PROGRAM)) is not None
    bad = metadata.Metadata.read(Account(1, b"\2" + data, metadata.METADATA_PROGRAM))
    assert bad is not None and bad.final and bad.authority is None
