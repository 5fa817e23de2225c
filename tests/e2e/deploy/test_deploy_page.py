"""docs/deploy.md, executed: its commands alone, on an empty cluster, up to a second wallet's running rental."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
from xprocess import XProcess

from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from anchor_client.sealing import SealKey
from anchor_client.wallet import Wallet, parse_address
from host_agent.agent import HostAgent
from host_agent.orders import SealedOrderReader
from local_market.simulated_machine import SimulatedMachine
from tests.docs.pages import ROOT, blocks
from tests.e2e.console import SCRIPT, Console
from tests.processes.embedded import running
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

PAGE = (ROOT / "docs/deploy.md").read_text()
SERVICES = ("indexer", "keeper", "post-price")
READY_SECONDS = 60
STAKERS_SECONDS = 31
"""In which only stakers take a machine that has fallen idle."""
DIRECT = "http://127.0.0.1:8000"


def commands_under(heading: str) -> list[list[str]]:
    """The commands of a section, as words behind the program's name."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for block in blocks(section, "console") for line in block.splitlines()]
    return [shlex.split(line.removeprefix("$ gpu-market "), comments=True) for line in lines]


class Reader:
    """Somebody who follows the page, in a directory of their own."""

    def __init__(self, folder: Path, rpc_url: str, api_url: str, stack: AsyncExitStack) -> None:
        self.console = Console(folder / "home")
        self._folder = folder
        self._rpc_url = rpc_url
        self._api_url = api_url
        self._stack = stack
        folder.mkdir(exist_ok=True)

    async def follow(self, heading: str, **places: str) -> list[str]:
        """Runs every command of a section, each as a process, and gives what each printed; services go on."""
        return [await self._run(words, places) for words in commands_under(heading)]

    async def _run(self, words: list[str], places: dict[str, str]) -> str:
        here = {"devnet": "localnet", DIRECT: self._api_url, "8000": self._api_url.rpartition(":")[2]} | places
        words = [here.get(word, word) for word in words]
        if "--cluster" in words:
            words += ["--rpc", self._rpc_url]
        if words[:2] == ["host", "run"]:
            return await self._stack.enter_async_context(self._simulated_host())
        process = await asyncio.create_subprocess_exec(
            str(SCRIPT),
            *words,
            cwd=self._folder,
            env=self.console.environment | {"GPU_MARKET_RPC_URL": self._rpc_url},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        if words[0] in SERVICES:
            self._stack.push_async_callback(_stop, process)
            return ""
        out, _ = await process.communicate()
        assert process.returncode == 0, f"{words}: {out.decode()}"
        return out.decode()

    @asynccontextmanager
    async def _simulated_host(self) -> AsyncIterator[str]:
        """The agent of `host run` with a machine that runs nothing, since there is no Docker here."""
        own = self.console.home / "config/gpu-market"
        shown = self.console.json("config", "show")
        async with (
            Market.connect(
                self._rpc_url,
                Wallet.from_file(own / "wallet.json"),
                program_id=parse_address(shown["program_id"]),
            ) as market,
            SealedOrderApi(self._api_url) as orders,
        ):
            agent = HostAgent(
                market,
                market.session.ws_url,
                partial(SimulatedMachine, "eu-west"),
                SealedOrderReader(orders, SealKey.load(own / "seal.key")),
            )
            ready = asyncio.Event()
            task = asyncio.create_task(agent.run(ready))
            async with asyncio.timeout(READY_SECONDS):
                await ready.wait()
            yield ""
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    out, _ = await process.communicate()
    assert process.returncode in (0, 130, -15), out.decode()


async def _let_pass(rpc_url: str, seconds: int) -> None:
    """Moves the cluster's clock."""
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        warp = {"jsonrpc": "2.0", "id": 1, "method": "cheat_warp", "params": [{"seconds": seconds}]}
        assert "error" not in (await client.post(rpc_url, json=warp)).json()


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


@pytest.mark.exhaustive
async def test_deploy_page__its_commands_alone__let_a_second_wallet_rent(xprocess: XProcess, tmp_path: Path) -> None:
    with running(xprocess) as (rpc_url, _):
        api_url = f"http://127.0.0.1:{free_ports()}"
        async with AsyncExitStack() as stack:
            operator = Reader(tmp_path / "operator", rpc_url, api_url, stack)
            await operator.follow("Open the market")
            await operator.follow("Run it")
            await healthy(api_url)
            manifest = str(tmp_path / "operator/market.json")
            host = Reader(tmp_path / "host", rpc_url, api_url, stack)
            offering = commands_under("A host")
            approval = next(index for index, words in enumerate(offering) if words[1] == "approve")
            places = {"market.json": manifest}
            for words in offering[:approval]:
                await host._run(words, places)
            address = (await asyncio.to_thread(host.console.json, "wallet", "show", "--rpc", rpc_url))["address"]
            await operator._run(offering[approval], {"HOST": address})
            for words in offering[approval + 1 :]:
                await host._run(words, places)
            await _let_pass(rpc_url, STAKERS_SECONDS)
            renter = Reader(tmp_path / "renter", rpc_url, api_url, stack)
            told = await renter.follow("A renter", **places)
            assert "password" in told[-1].lower() or "running" in told[-1].lower(), told[-1]
            [job] = await asyncio.to_thread(renter.console.json, "jobs", "--rpc", rpc_url)
            assert job["status"] == "RUNNING" or job["status"].lower() == "running"
            assert job["renter"] != address


@pytest.mark.parametrize("heading", ["Open the market", "Run it", "A host", "A renter"])
def test_deploy_page__each_section__has_commands(heading: str) -> None:
    assert len(commands_under(heading)) >= 4
