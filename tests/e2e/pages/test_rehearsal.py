"""docs/deploy.md on Agave's validator, typed from nothing to a market that its stakers have upgraded."""

from __future__ import annotations

import asyncio
import json
import re
import time
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0, to_bytes_versioned
from solders.transaction import VersionedTransaction
from xprocess import XProcess

from tests.docs.pages import commands, commands_under
from tests.e2e.deploy.empty import second
from tests.e2e.pages.page_reader import Reader, Where, healthy, simulated_agent
from tests.e2e.pages.test_deploy_page import PAGE, call
from tests.indexer.service import until
from tests.processes import validator
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.rehearsal, pytest.mark.xdist_group("validator")]
OVER = ("defeated", "expired", "cancelled", "vetoed")
STAKE = str(200_000 * 10**6)
CONFIRMED = {"commitment": "confirmed"}
SHORT = {"epoch_seconds": 10, "voting_period": 40, "timelock": 1, "critical_timelock": 1}
"""Parameters of a market for tests, so that nobody waits for days."""


class Rehearsal:
    """A reader of the page, and the seconds that each part took."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.rpc_url = reader.where.rpc_url
        self.cron: list[str] = []
        """The command that cron repeats."""
        self._left: list[list[str]] = []

    @property
    def next(self) -> list[str]:
        """The section's next command."""
        return self._left[0]

    @asynccontextmanager
    async def part(self, name: str) -> AsyncIterator[None]:
        """Takes the time of a part."""
        began = time.monotonic()
        yield
        print(f"\n| {name} | {time.monotonic() - began:.1f} |")

    def begins(self, heading: str) -> None:
        """Turns to a section."""
        self._left = commands_under(PAGE, heading)

    async def types(self, beginning: str, *more: str, **places: str) -> str:
        """Runs the section's next command, which begins so, with more words than the page's."""
        words = self._left.pop(0)
        assert " ".join(words[1:]).startswith(beginning), words
        return await self.reader.run([*words, *more], places)

    async def json(self, *words: str) -> Any:
        """A command's JSON output."""
        return json.loads(await self.reader.run(["gpu-market", *words, "--json"], {}))

    async def shows(self, expected: object, name: str, *words: str) -> None:
        """Waits until a command says so; cron keeps running. A busy validator's clock lags behind everyone's."""

        async with asyncio.timeout(3 * PATIENCE):
            while (said := (await self.json(*words))[name]) != expected:
                assert said not in OVER, said
                await self.reader.run(self.cron, {})


def shorten(file: Path) -> None:
    """Sets the parameters in a market file."""
    text = file.read_text()
    for name, seconds in SHORT.items():
        text, count = re.subn(rf"^{name}( *)= \d+", rf"{name}\1= {seconds}", text, flags=re.MULTILINE)
        assert count == 1
    file.write_text(text)


async def sign_elsewhere(rpc_url: str, transaction: str, key: Keypair) -> None:
    """Signs with a fresh blockhash, sends and waits, as a multisig's app does."""
    message = VersionedTransaction.from_bytes(b64decode(transaction)).message
    assert isinstance(message, MessageV0) and message.header.num_required_signatures == 1
    latest = await call(rpc_url, "getLatestBlockhash", CONFIRMED)
    message = MessageV0(
        message.header,
        message.account_keys,
        Hash.from_string(latest["value"]["blockhash"]),
        message.instructions,
        message.address_table_lookups,
    )
    signed = VersionedTransaction.populate(message, [key.sign_message(to_bytes_versioned(message))])
    options = {"encoding": "base64", "preflightCommitment": "confirmed"}
    signature = await call(rpc_url, "sendTransaction", b64encode(bytes(signed)).decode(), options)

    async def landed() -> bool:
        [status] = (await call(rpc_url, "getSignatureStatuses", [signature]))["value"]
        return status is not None and status["err"] is None and status["confirmationStatus"] != "processed"

    await until(landed)


async def open_and_run(rehearsal: Rehearsal) -> None:
    """From an empty cluster to a market with oracle, indexer, two replicas of the API, and keepers of both kinds."""
    reader, api_url = rehearsal.reader, rehearsal.reader.where.api_url
    async with rehearsal.part("open the market"):
        rehearsal.begins("Open the market")
        await rehearsal.types("deploy init")
        shorten(reader.folder / "market.toml")
        await rehearsal.types("deploy market.toml --dry-run")
        await rehearsal.types("wallet airdrop")
        await rehearsal.types("deploy market.toml --yes")
        for _ in range(3):
            await rehearsal.types("config")
    async with rehearsal.part("run oracle, indexer, API and keeper"):
        await reader.follow("Run it")
        await healthy(api_url)
    async with rehearsal.part("a second replica, and a keeper from cron"):
        port = str(free_ports())
        rehearsal.begins("More of each")
        await rehearsal.types("api", **{"8001": port})
        rehearsal.cron = rehearsal.next
        await rehearsal.types("keeper --once")
        await healthy(f"http://127.0.0.1:{port}")


async def hand_over(rehearsal: Rehearsal) -> None:
    """Stakes, and gives market and upgrades to the stakers by a transaction that is signed elsewhere."""
    async with rehearsal.part("stake, and hand over with --unsigned"):
        key = Keypair.from_json((rehearsal.reader.folder / "keys/authority.json").read_text())
        rehearsal.begins("Hand it over")
        await rehearsal.types("staking stake")
        await rehearsal.types("staking show")
        await rehearsal.shows(STAKE, "active", "staking", "show")
        await rehearsal.types("governance hand-over")
        await rehearsal.shows([], "missing", "governance", "hand-over")
        assert "governance hand-over --final --unsigned ADDRESS" in commands(PAGE, "gpu-market")
        printed = await rehearsal.types("governance hand-over --final", "--unsigned", str(key.pubkey()), "--json")
        await sign_elsewhere(rehearsal.rpc_url, json.loads(printed)["transaction"], key)
        holders = {
            right["name"]: right["holder"] for right in (await rehearsal.json("governance", "hand-over"))["rights"]
        }
        assert holders["market authority"] == holders["upgrade authority"] == "governance"


async def upgrade_by_vote(rehearsal: Rehearsal) -> None:
    """Other code, which the stakers vote for."""
    async with rehearsal.part("upgrade by vote"):
        build = {"gpu_market.so": str(second(rehearsal.reader.folder))}
        await rehearsal.types("wallet airdrop")
        made = json.loads(await rehearsal.types("upgrade", "--json", **build))
        await rehearsal.types("governance propose upgrade", BUFFER=made["buffer"])
        await rehearsal.types("governance vote 0 for")
        await rehearsal.shows("ended", "stage", "governance", "show", "0")
        await rehearsal.types("governance queue 0")
        await rehearsal.shows("due", "stage", "governance", "show", "0")
        await rehearsal.types("governance execute 0")
        assert "match" in await rehearsal.types("deploy verify", **build)


async def test_deploy_page__typed_on_a_validator__ends_with_an_upgrade_by_vote(
    xprocess: XProcess, tmp_path: Path
) -> None:
    with validator.running(xprocess, tmp_path / "ledger") as cluster:
        where = Where(cluster.http_url, f"http://127.0.0.1:{free_ports()}", simulated_agent)
        async with AsyncExitStack() as stack:
            rehearsal = Rehearsal(Reader(PAGE, tmp_path / "operator", where, stack))
            await open_and_run(rehearsal)
            await hand_over(rehearsal)
            await upgrade_by_vote(rehearsal)
