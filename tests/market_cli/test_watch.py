"""Exit codes of following a job or a request, and messages about an API that is away."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import typer
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.types import CloseReason
from anchor_client.market import MachineWanted, Market, RentalWanted
from anchor_client.market.rental.note import Note
from anchor_client.orders import KeyDirectory
from anchor_client.sealing import SealKey
from market_cli.commands.rental.job import going_on
from market_cli.errors import MachineLost
from market_cli.exit_codes import INTERRUPTED
from market_cli.main import main
from market_cli.options import Flags
from market_cli.paths import order_directory
from market_cli.session import CliSession
from tests.markets.marketplace import H100, Marketplace
from tests.processes.ports import free_ports

WANTED = RentalWanted(gpu=H100, duration=3_600, pay="GPUM", order_hash=bytes(range(32)))
SCRIPT = str(Path(sys.executable).with_name("gpu-market"))
End = Callable[[Market, Market, Pubkey], Awaitable[object]]


async def stop(renter: Market, host: Market, job: Pubkey) -> None:
    await host.rental.accept(job, b"sealed")
    await host.rental.start(job)
    await renter.rental.stop(job)


async def withdraw(renter: Market, host: Market, job: Pubkey) -> None:
    await renter.rental.stop(job)


async def refuse(renter: Market, host: Market, job: Pubkey) -> None:
    await host.rental.cancel(job, CloseReason.ORDER_REFUSED)


@pytest.fixture
def options(marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Options for a market whose API is away."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("GPU_MARKET_WS_URL", marketplace.cluster.ws_url)
    monkeypatch.setenv("GPU_MARKET_API_URL", f"http://127.0.0.1:{free_ports()}")
    return ("--rpc", marketplace.cluster.rpc_url)


async def test_rent_and_job__host_says_why_it_gives_up__renter_reads_it_and_no_one_else(
    marketplace: Marketplace, options: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    key, said = SealKey.generate(), "No command\x1b[2J specified [/] "
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        job = (await market.rental.open(WANTED)).id
        await host.rental.cancel(job, CloseReason.ORDER_UNRUNNABLE, Note(said, key.public))
        shown = await asyncio.to_thread(main, ["job", str(job), *options])
        assert (shown, "No command" in capfd.readouterr().out) == (0, False)
        KeyDirectory(order_directory()).keep(WANTED.order_hash, key)
        assert await asyncio.to_thread(main, ["job", str(job), *options]) == 0
        assert "No command [2J specified [/]" in capfd.readouterr().out
        assert await asyncio.to_thread(main, ["job", str(job), "--json", *options]) == 0
        assert json.loads(capfd.readouterr().out)["note"] == "No command [2J specified [/]"


@pytest.mark.parametrize(("end", "code"), [(stop, 0), (withdraw, 1), (refuse, 1)])
async def test_job_watch__ended__exits_with_what_became_of_it(
    marketplace: Marketplace,
    options: tuple[str, ...],
    capfd: pytest.CaptureFixture[str],
    end: End,
    code: int,
) -> None:
    async with marketplace.market(await marketplace.renter()) as market, marketplace.market(marketplace.host) as host:
        job = (await market.rental.open(WANTED)).id
        await end(market, host, job)
        assert await asyncio.to_thread(main, ["job", str(job), "--watch", *options]) == code
    assert capfd.readouterr().err.count("following the chain instead") == 1


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (asyncio.CancelledError(), True),
        (MachineLost("The machine has ended the connection"), True),
        (typer.Exit(1), False),  # the job has ended
    ],
)
def test_going_on__command_ends_before_the_job__says_that_it_costs(
    capfd: pytest.CaptureFixture[str], error: BaseException, told: bool
) -> None:
    with pytest.raises(type(error)), going_on(CliSession(Flags(json=True)), "train"):
        raise error
    output = capfd.readouterr()
    assert (
        output.out == ""
        and ("train continues and costs money until it ends: `gpu-market stop train`" in output.err) is told
    )


@asynccontextmanager
async def requested(marketplace: Marketplace, tmp_path: Path, max_usd: int) -> AsyncIterator[tuple[Market, Pubkey]]:
    """A renter, whose key file is `id.json`, and a request of theirs."""
    renter = await marketplace.renter()
    (tmp_path / "id.json").write_text(Keypair.to_json(renter))
    async with marketplace.market(renter) as market:
        wanted = MachineWanted(gpu=H100, duration=3_600, pay="GPUM", max_usd=max_usd, order_hash=bytes(range(32)))
        yield market, (await market.request.open(wanted)).id


async def test_request_show_watch__interrupted__says_that_the_request_goes_on(
    marketplace: Marketplace, options: tuple[str, ...], tmp_path: Path
) -> None:
    async with requested(marketplace, tmp_path, max_usd=1_500_000) as (market, request):
        watching = await asyncio.create_subprocess_exec(
            *(SCRIPT, "request", "show", str(request), "--watch", "--keypair", str(tmp_path / "id.json"), *options),
            stdout=PIPE,
            stderr=PIPE,
        )
        assert watching.stderr is not None
        assert b"following the chain instead" in await watching.stderr.readline()
        watching.send_signal(signal.SIGINT)
        said = (await watching.communicate())[1].decode()
        assert watching.returncode == INTERRUPTED
        assert f"gpu-market request cancel {request}" in said
        await market.request.cancel(request)


async def test_request_watch__withdrawn__exits_with_failure(
    marketplace: Marketplace, options: tuple[str, ...], tmp_path: Path
) -> None:
    async with requested(marketplace, tmp_path, max_usd=5_000_000) as (market, request):
        await market.request.cancel(request)
    command = ["request", "show", str(request), "--watch", "--keypair", str(tmp_path / "id.json"), *options]
    assert await asyncio.to_thread(main, command) == 1
