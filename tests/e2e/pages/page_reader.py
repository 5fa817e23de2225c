"""Somebody who does what a page of the documentation says, in a directory of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

import httpx

from anchor_client.market import Market
from anchor_client.sealing import SealKey
from anchor_client.solana.wallet import Wallet, parse_address
from local_market.simulated_machine import SimulatedMachine
from tests.docs.pages import commands_under
from tests.e2e.agents import serving
from tests.e2e.console import SCRIPT, Console
from tests.host_agent.docker.engine import OwnEngine
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

SERVICES = ("api ", "indexer run", "keeper", "post-price")
READY_SECONDS = 180
DIRECT = "http://127.0.0.1:8000"
ADDRESS = "gpu1.example.com"
PROGRAM = "gpu-market"


@dataclass(frozen=True, slots=True)
class Where:
    """Stand-ins for the cluster and the machines that a page speaks of."""

    rpc_url: str
    api_url: str
    agent: Agent
    rent: tuple[str, ...] = ()
    """Arguments that a renter adds to the page's."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the page's reader has set, too."""


class Agent(Protocol):
    """Runs `host run` with its words until the block ends; entered once the listing is online."""

    def __call__(self, reader: Reader, words: list[str]) -> AbstractAsyncContextManager[None]: ...


class Reader:
    """Types a page's commands in a folder of their own; with a console of their own, unless they share one."""

    def __init__(
        self, page: str, folder: Path, where: Where, stack: AsyncExitStack, console: Console | None = None
    ) -> None:
        self.page = page
        self.console = console or Console(folder / "home")
        self.where = where
        self.folder = folder
        self._stack = stack
        folder.mkdir(exist_ok=True)

    async def follow(self, heading: str, **places: str) -> list[str]:
        """Runs every command of a section, each as a process, and gives what each printed; services go on."""
        return [await self.run(words, places) for words in commands_under(self.page, heading)]

    async def run(self, words: list[str], places: Mapping[str, str]) -> str:
        """Runs one command, with other words for some of the page's."""
        api_url = self.where.api_url
        here: dict[str, str] = {"devnet": "localnet", DIRECT: api_url, "8000": api_url.rpartition(":")[2], **places}
        words = [_placed(word, here) for word in words]
        if "--cluster" in words:
            words += ["--rpc", self.where.rpc_url]
        if words[1:3] == ["host", "run"]:
            await self._stack.enter_async_context(self.where.agent(self, words))
            return ""
        if words[1] == "rent":
            words += self.where.rent
        process = await self.start(words)
        if _goes_on(words):
            self._stack.push_async_callback(_stop, process)
            return ""
        out, _ = await process.communicate()
        assert process.returncode == 0, f"{words}: {out.decode()}"
        return out.decode()

    async def start(self, words: list[str]) -> asyncio.subprocess.Process:
        """The command as a process."""
        program, *arguments = words
        return await asyncio.create_subprocess_exec(
            str(SCRIPT) if program == PROGRAM else program,
            *arguments,
            cwd=self.folder,
            env=self.console.environment | {"GPU_MARKET_RPC_URL": self.where.rpc_url, **self.where.environment},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )


def _placed(word: str, places: Mapping[str, str]) -> str:
    """The word that stands for one of the page's, or the word with the beginning of its URL replaced."""
    if word in places:
        return places[word]
    at = next((place for place in places if place.startswith("http") and word.startswith(f"{place}/")), "")
    return places.get(at, "") + word.removeprefix(at)


def _goes_on(words: list[str]) -> bool:
    return " ".join(words[1:]).startswith(SERVICES) and "--once" not in words


async def healthy(api_url: str) -> None:
    """Waits until the API says that its index is complete."""
    async with httpx.AsyncClient(base_url=api_url, timeout=PATIENCE) as api, asyncio.timeout(READY_SECONDS):
        while True:
            try:
                if (await api.get("/health")).is_success:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.2)


@asynccontextmanager
async def simulated_agent(reader: Reader, words: list[str]) -> AsyncIterator[None]:
    """The agent of `host run` with a machine that runs nothing, for where there is no Docker."""
    own = reader.console.home / "config/gpu-market"
    key = reader.folder / words[words.index("--keypair") + 1] if "--keypair" in words else own / "wallet.json"
    shown = await asyncio.to_thread(reader.console.json, "config", "show")
    async with (
        Market.connect(
            reader.where.rpc_url, Wallet.from_file(key), program_id=parse_address(shown["program_id"])
        ) as market,
        serving(market, reader.where.api_url, SealKey.load(own / "seal.key"), partial(SimulatedMachine, "eu-west")),
    ):
        yield


def docker_agent(engine: OwnEngine) -> Agent:
    """`host run` itself, on a Docker engine of the test's own and without GPUs."""

    @asynccontextmanager
    async def run(reader: Reader, words: list[str]) -> AsyncIterator[None]:
        here = ["127.0.0.1" if word == ADDRESS else word for word in words]
        ours = ("--bind", "127.0.0.1", "--first-port", str(free_ports(8)), "--engine", engine.url)
        process = await reader.start([*here, *ours, "--gpus", "none", "--shm-gb", "1", "--json"])
        assert process.stdout is not None
        said = b""
        try:
            async with asyncio.timeout(READY_SECONDS):
                while b'"ready": true' not in said:
                    line = await process.stdout.readline()
                    said += line
                    assert line, said.decode()
            yield
        finally:
            await _stop(process)

    return run


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    out, _ = await process.communicate()
    assert process.returncode in (0, 130, -15), out.decode()
