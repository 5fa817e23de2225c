"""`gpu-market rent --respawn` from its first machine to its last: two hosts with real Docker engines, and a renter."""

from __future__ import annotations

import asyncio
import json
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.generated.types import CloseReason
from anchor_client.market import Market
from anchor_client.solana.wallet import Wallet
from market_cli.machine.carrying import ARRIVED
from tests.e2e.console import SCRIPT
from tests.e2e.machine.hosts import SECONDS, Host, listed_host, until_idle
from tests.e2e.seeded import UpProcess
from tests.host_agent import openssh
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.indexer.service import until

pytestmark = pytest.mark.docker
GPU = "nvidia-a30-24gb"
"""None of the machines of `gpu-market up` is one."""
CHEAP, DEAR, MOST = "2.00", "2.50", "3.50"
"""Prices before fees, and the most that is paid with them, in dollars an hour."""
HOUR = 3_600
NAME = "training"


@dataclass
class Rent:
    """A running `gpu-market rent --respawn --json`."""

    up: UpProcess
    process: Process
    errors: Path

    async def says(self, wanted: Callable[[Any], bool]) -> Any:
        """The next line that is as wanted."""
        assert self.process.stdout is not None
        async with asyncio.timeout(SECONDS):
            while line := await self.process.stdout.readline():
                said = json.loads(line)
                if wanted(said):
                    return said
        pytest.fail(f"it has ended: {self.errors.read_text()}")

    async def opens(self, host: Host) -> str:
        """The job that it opens next, which the host gets; the name is that job's."""
        job = await self.says(lambda said: "id" in said)
        assert (job["status"], job["listing"]) == ("queued", host.listing)
        assert self.up.console.json("job", NAME)["id"] == job["id"]
        return str(job["id"])

    async def runs(self) -> None:
        await self.says(lambda said: said["status"] == "running")

    async def loses(self) -> Any:
        """The job whose machine is lost, once it has ended."""
        return await self.says(lambda said: "id" in said)

    async def ends(self) -> tuple[int, list[Any]]:
        """Its exit code, and what it has said meanwhile."""
        async with asyncio.timeout(SECONDS):
            out, _ = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, [json.loads(line) for line in out.splitlines()]

    def inside(self, command: str) -> str:
        """Output of a command on the machine of the job that has the name."""
        return self.up.console.run("exec", NAME, "--", "sh", "-c", command).stdout

    def carried(self) -> list[Path]:
        """Files on their way from one machine to the next."""
        folder = self.up.console.home / "data" / "gpu-market" / "carried"
        return [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]

    async def prints(self, wanted: str, command: str) -> None:
        """Waits until a command prints this on the machine."""

        async def printed() -> bool:
            return self.inside(command) == wanted

        await until(printed)

    async def arrives(self, *names: str) -> None:
        """Waits until the workspace of the machine before is on the machine that runs, and has these files."""
        await self.prints("".join(f"{name}\n" for name in (ARRIVED, *names)), "ls -A /workspace")


@pytest.fixture(scope="module")
def hosts(
    engine: OwnEngine, xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory, up: UpProcess
) -> Iterator[list[Host]]:
    """A cheap machine and a dear one, of two hosts, each with its agent."""
    openssh.require("ssh")
    made = [
        listed_host(xprocess, up, engine, tmp_path_factory.mktemp("host"), "--gpu", GPU, "--price", price)
        for price in (CHEAP, DEAR)
    ]
    for host in made:
        host.start()
    yield made
    for host in made:
        host.kill()


@pytest.fixture
async def idle(hosts: list[Host]) -> list[Host]:
    """The same once nobody has them."""
    for host in hosts:
        await until_idle(host)
    return hosts


@asynccontextmanager
async def respawning(up: UpProcess, folder: Path, *order: str) -> AsyncIterator[Rent]:
    """Rents a machine of the model while the context lasts; what the command does not end itself is ended."""
    wanted = ("--gpu", GPU, "--duration", "3h", "--pay", "USDC", "--max-price", MOST, "--name", NAME)
    words = ("rent", "--respawn", *wanted, "--image", IMAGE, *order, "--json")
    errors = folder / "stderr"
    with errors.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            SCRIPT, *words, env=up.console.environment, stdout=PIPE, stderr=file
        )
    try:
        yield Rent(up, process, errors)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def test_rent_respawn__better_order_takes_the_machine__goes_on_elsewhere_with_its_workspace(
    idle: list[Host], tmp_path: Path
) -> None:
    (first, second), up = idle, idle[0].up
    other = ("--keypair", str(tmp_path / "other.json"))
    up.console.run("wallet", "new", other[1])
    for amount in (("1",), ("20", "--token", "USDC")):
        up.console.run("wallet", "airdrop", *amount, *other)
    spot = ("--kind", "spot", "--checkpoint", "echo saved > /workspace/state")
    begin = ("--command", f"until [ -e /workspace/{ARRIVED} ]; do sleep 0.1; done; cat /workspace/state > /begun")
    async with respawning(up, tmp_path, *spot, *begin) as rent:
        await rent.opens(first)
        await rent.runs()
        rent.inside("mkdir /workspace/deep && echo trained > '/workspace/deep/the model'")
        taken = ("--listing", first.listing, "--duration", "1h", "--pay", "USDC", "--image", IMAGE)
        taker = up.console.json("rent", *taken, *other)["id"]
        warned = await rent.says(lambda said: said.get("preempt_at") is not None)

        async def copied() -> bool:
            return {path.name for path in rent.carried()} == {"the model", "state"}

        await until(copied)
        up.warp(warned["preempt_at"] - warned["ts"])
        lost = await rent.loses()
        assert (lost["status"], lost["close_reason"]) == ("preempted", "preempted")
        job = await rent.opens(second)
        assert up.console.json("job", job)["duration"] == 3 * HOUR - lost["used"]
        await rent.runs()
        await rent.prints("saved\n", "cat /begun 2>/dev/null || true")
        assert rent.inside("cat '/workspace/deep/the model'") == "trained\n"
        up.console.run("stop", NAME)
        code, [*_, ended] = await rent.ends()
    assert (code, ended["id"], ended["close_reason"]) == (0, job, "stopped")
    assert rent.carried() == []
    up.console.run("stop", taker, *other)


async def test_rent_respawn__host_gives_the_job_up__what_the_machine_still_gives_comes_along(
    idle: list[Host], tmp_path: Path
) -> None:
    (first, second), up = idle, idle[0].up
    saving = "until [ -e /saved ]; do sleep 0.1; done"
    async with respawning(up, tmp_path, "--checkpoint", saving) as rent:
        job = await rent.opens(first)
        await rent.runs()
        rent.inside("echo trained > /workspace/model")
        wallet = Wallet.from_file(first.home / "host.json")
        async with Market.connect(up.ready["rpc_url"], wallet, ws_url=up.ready["ws_url"]) as market:
            await market.rental.cancel(Pubkey.from_string(job), CloseReason.HOST_MAINTENANCE)
        assert (await rent.loses())["close_reason"] == "host_maintenance"
        await rent.opens(second)
        await rent.runs()
        await rent.arrives("model")
        assert rent.inside("cat /workspace/model") == "trained\n"
        first.engine.run_in(first.tenant, "touch", "/saved")
        rent.inside("touch /saved")
        up.console.run("stop", NAME)
        assert (await rent.ends())[0] == 0
    assert rent.errors.read_text() == ""


async def test_rent_respawn__machine_is_lost_whole_then_interrupted__job_goes_on_and_the_command_says_so(
    idle: list[Host], tmp_path: Path
) -> None:
    (first, second), up = idle, idle[0].up
    async with respawning(up, tmp_path) as rent:
        await rent.opens(first)
        await rent.runs()
        rent.inside("echo trained > /workspace/model")
        first.engine.docker("rm", "--force", first.tenant)
        up.console.run("host", "heartbeat", first.listing, *first.own)
        lost = await rent.loses()
        assert (lost["status"], lost["close_reason"]) == ("failed", "host_fault")
        job = await rent.opens(second)
        await rent.runs()
        await rent.arrives()
        assert "Not all of /workspace could be copied" in rent.errors.read_text()
        rent.process.send_signal(signal.SIGINT)
        code, said = await rent.ends()
    assert (code, [each["error"] for each in said]) == (130, ["Interrupted"])
    assert f"{NAME} continues" in rent.errors.read_text() and f"`gpu-market stop {NAME}`" in rent.errors.read_text()
    assert up.console.json("job", NAME)["status"] == "running"
    assert up.console.json("stop", NAME)["id"] == job


async def test_rent_respawn__renter_stops_the_job__is_not_ordered_again(idle: list[Host], tmp_path: Path) -> None:
    first, _ = idle
    async with respawning(first.up, tmp_path) as rent:
        job = await rent.opens(first)
        await rent.runs()
        first.up.console.run("stop", job)
        code, said = await rent.ends()
    assert code == 0
    assert [each["id"] for each in said if "id" in each] == [job]
    assert [each["id"] for each in first.up.console.json("jobs")] == []
