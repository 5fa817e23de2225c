"""`gpu-market deploy metadata`: the IDL and the security metadata on chain, by the Program Metadata program.

No package registry has that program's code, so these tests take a build of it from PROGRAM_METADATA_SO (the program of
github.com/solana-program/program-metadata, or `solana program dump ProgM6JCCvbYkfKqJYHePx4xxSUSqJp7rh8Lyv7nk7S FILE`)
and are skipped without. What is sent is compared with its published client in any case.
"""

from __future__ import annotations

import asyncio
import json
import os
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from solders.account import Account
from solders.keypair import Keypair

from anchor_client.deploy.published import interface
from anchor_client.deploy.targets import MetadataInPlace
from anchor_client.deploy.upload import Upload
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.market.program import MarketProgram
from anchor_client.solana.node import NodeClient
from anchor_client.solana.program_metadata import HEADER_BYTES, METADATA_PROGRAM, Metadata, metadata_address
from anchor_client.solana.transactions import TransactionSender
from tests.e2e.console import Console
from tests.e2e.seeded import SeededCluster
from tests.e2e.test_governance import key_file
from tests.markets.stake import pooled, staked

ROOT = Path(__file__).parents[3]
BUILD = os.environ.get("PROGRAM_METADATA_SO")
needs_program = pytest.mark.skipif(BUILD is None, reason="no registry has the program: PROGRAM_METADATA_SO names none")


class Publisher:
    """Runs the command against a cluster, in a thread: this one serves the cluster."""

    def __init__(self, seeded: SeededCluster, folder: Path) -> None:
        self.seeded = seeded
        self.folder = folder
        self._console = Console(folder)
        self.file = folder / "security.json"
        self.file.write_bytes((ROOT / "deploy/security.json").read_bytes())

    async def __call__(self, *arguments: str, key: Keypair | None = None, code: int = 0) -> Any:
        """Runs the command; returns the JSON document that it prints."""
        signer = key_file(self.folder, key or self.seeded.keys.authority)
        everywhere = ("--rpc", self.seeded.local.http_url, "--keypair", signer)
        run = partial(self._console.json, "deploy", "metadata", *arguments, *everywhere, code=code)
        return await asyncio.to_thread(run)

    def found(self, seed: str) -> Metadata:
        """Metadata that is published at a seed, in an account with exactly the lamports that it needs."""
        cluster, address = self.seeded.local.cluster, metadata_address(PROGRAM_ID, seed)
        account = cluster.account(address)
        found = Metadata.read(account)
        assert account is not None and found is not None and len(account.data) == HEADER_BYTES + len(found.data)
        assert account.lamports == cluster.bank.minimum_balance(len(account.data))
        return found

    def say(self, **entries: object) -> Any:
        """Changes the security file, and gives what it says."""
        value = json.loads(self.file.read_text()) | entries
        self.file.write_text(json.dumps(value, indent=2))
        return value


@pytest.fixture
def publish(seeded_cluster: SeededCluster, tmp_path: Path) -> Publisher:
    """The command on a seeded market's cluster, with the metadata program where there is a build of it."""
    if BUILD is not None:
        seeded_cluster.local.cluster.add_program(METADATA_PROGRAM, BUILD)
    return Publisher(seeded_cluster, tmp_path)


@pytest.mark.skipif(BUILD is not None, reason="a cluster without the program")
async def test_metadata__cluster_without_the_program__says_so(publish: Publisher) -> None:
    refused = await publish(code=2)
    assert refused["error"] == "MetadataProgramMissing"
    publish.say(twitter="@gpu")
    refused = await publish("--security", str(publish.file), code=2)
    assert refused["error"] == "BadSecurityFile" and "twitter" in refused["message"]


@needs_program
@pytest.mark.exhaustive
async def test_metadata__published__is_there_once_and_changes_with_the_file(publish: Publisher) -> None:
    both = ("--security", str(publish.file))
    planned = await publish(*both, "--dry-run")
    assert [work["seed"] for work in planned["works"]] == ["idl", "security"] and planned["dry_run"]
    assert (await publish(*both, "--yes", key=Keypair(), code=2))["error"] == "NotTheAuthority"
    assert (await publish(*both, code=2))["error"] == "Declined"
    await publish(*both, "--yes")
    assert publish.found("idl").content == interface(PROGRAM_ID).content
    assert json.loads(publish.found("security").content or b"") == publish.say()
    assert (await publish(*both))["works"] == [], "published once"
    noise = Random(1).randbytes(15_000).hex()
    for description in ("An open market", noise, "An open market again"):
        said = publish.say(description=description)
        [work] = (await publish(*both, "--yes"))["works"]
        assert work["replaces"] and json.loads(publish.found("security").content or b"") == said
    assert (await publish(*both))["works"] == []


@needs_program
@pytest.mark.exhaustive
async def test_metadata__upload_begun_by_somebody__goes_on_or_begins_anew(publish: Publisher) -> None:
    authority = publish.seeded.keys.authority
    async with NodeClient(publish.seeded.local.http_url) as client:
        target = MetadataInPlace(PROGRAM_ID, authority.pubkey(), "idl")
        await Upload(TransactionSender(client, MarketProgram()), authority, target, b"something shorter").run()
    await publish("--yes")
    assert publish.found("idl").content == interface(PROGRAM_ID).content


@needs_program
@pytest.mark.exhaustive
async def test_metadata__maintainer__may_change_it_after_the_hand_over(publish: Publisher) -> None:
    seeded, maintainer, both = publish.seeded, Keypair(), ("--security", str(publish.file), "--yes")
    seeded.local.cluster.airdrop(maintainer.pubkey(), 10**10)
    await publish(*both)
    planned = await publish(*both, "--maintainer", str(maintainer.pubkey()))
    assert {work["rent_lamports"] for work in planned["works"]} == {"0"}, "only who may change them"
    assert publish.found("idl").authority == maintainer.pubkey()
    for address, data in (staked(maintainer.pubkey(), 10**12), pooled(10**12)):
        seeded.local.cluster.set_account(address, Account(10**9, data, PROGRAM_ID))
    console = Console(publish.folder)
    key = key_file(publish.folder, seeded.keys.authority)
    over = ("governance", "hand-over", "--final", "--rpc", seeded.local.http_url, "--keypair", key)
    await asyncio.to_thread(console.json, *over)
    said = publish.say(version="2")
    assert (await publish(*both, code=2))["error"] == "NotTheAuthority"
    await publish(*both, key=maintainer)
    assert json.loads(publish.found("security").content or b"") == said
