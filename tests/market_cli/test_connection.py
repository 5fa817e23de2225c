"""A connection as people read it."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
from contextlib import nullcontext
from pathlib import Path

import asyncssh
import pytest
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.market import RentalWanted
from anchor_client.market.rental.actions import Access
from anchor_client.orders import KeyDirectory
from anchor_client.sealing import SealKey
from market_cli.commands.rental.job import ways_in
from market_cli.errors import MachineLost
from market_cli.machine.connection import connected
from market_cli.machine.reach import JobReach
from market_cli.main import main
from market_cli.paths import order_directory
from tests.markets.marketplace import H100, Marketplace

MACHINE = JobReach(Pubkey.new_unique(), Access(Connection(host="gpu.test", port=20_000, password="p"), None))


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (None, []),
        (0, ["/workspace is [bold red]not kept[/] after the job: this host keeps none"]),
        (1, ["/workspace is kept here for 1 day after the job"]),
        (7, ["/workspace is kept here for 7 days after the job"]),
    ],
)
def test_ways_in__workspace__is_said_to_be_kept_for_so_long(days: int | None, said: list[str]) -> None:
    connection = Connection(host="gpu.test", port=20_000, password="p", ports={80: 20_001}, keep_days=days)
    lines = [str(line) for line in ways_in(connection)]
    assert lines == ["ssh -p 20000 root@gpu.test   password p", "port 80   gpu.test:20001", *said]


@pytest.mark.parametrize(
    "error",
    [
        socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
        OSError(errno.EHOSTUNREACH, "No route to host"),
        ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
        TimeoutError(),
        asyncssh.PermissionDenied("Permission denied"),
    ],
)
async def test_connected__machine_is_not_there__says_which_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def connect(*place: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(asyncssh, "connect", connect)
    with pytest.raises(MachineLost, match=r"The machine at gpu\.test:20000 cannot be reached: \w") as caught:
        async with connected(MACHINE):
            pass
    assert "gpu-market job JOB" in caught.value.remedy


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file", "here"), FileNotFoundError),
        (asyncssh.ChannelOpenError(1, "no such subsystem"), MachineLost),
        (ConnectionResetError(), MachineLost),
    ],
)
async def test_connected__fails_meanwhile__is_the_machines_fault_only_if_it_is(
    monkeypatch: pytest.MonkeyPatch, error: Exception, said: type[Exception]
) -> None:
    monkeypatch.setattr(asyncssh, "connect", lambda *place, **options: nullcontext())
    with pytest.raises(said):
        async with connected(MACHINE):
            raise error


async def test_job_connection__host_has_a_contact_for_abuse__renter_reads_it(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path))
    monkeypatch.setenv("GPU_MARKET_WS_URL", marketplace.cluster.ws_url)
    key, contact, wallet = SealKey.generate(), "abuse [at] host.example", await marketplace.renter()
    (tmp_path / "id.json").write_text(wallet.to_json())
    wanted = RentalWanted(gpu=H100, duration=3_600, pay="GPUM", order_hash=bytes(range(32)))
    KeyDirectory(order_directory()).keep(wanted.order_hash, key)
    connection = Connection(host="gpu.test", port=20_000, password="p", abuse_contact=contact)
    async with marketplace.market(wallet) as market:
        job = (await market.rental.open(wanted)).id
        await marketplace.run(job, connection.sealed(key.public))
        command = ["job", str(job), "--connection", "--rpc", marketplace.cluster.rpc_url]
        command += ["--keypair", str(tmp_path / "id.json")]
        assert await asyncio.to_thread(main, command) == 0
        assert f"report abuse to   {contact}" in capfd.readouterr().out
        assert await asyncio.to_thread(main, [*command, "--json"]) == 0
        output = capfd.readouterr()
        assert json.loads(output.out)["connection"]["abuse_contact"] == contact and output.err == ""
        await market.rental.stop(job)
        assert await asyncio.to_thread(main, command) == 0
        assert f"{job} has ended" in capfd.readouterr().err


async def test_import_key__order_made_elsewhere__opens_its_connection_from_then_on(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path))
    monkeypatch.setenv("GPU_MARKET_WS_URL", marketplace.cluster.ws_url)
    key, wallet = SealKey.generate(), await marketplace.renter()
    (tmp_path / "id.json").write_text(wallet.to_json())

    async def run(*words: str, code: int = 0) -> str:
        given = [*words, "--rpc", marketplace.cluster.rpc_url, "--keypair", str(tmp_path / "id.json")]
        assert await asyncio.to_thread(main, given) == code
        shown = capfd.readouterr()
        return shown.out + shown.err

    async with marketplace.market(wallet) as market:
        wanted = RentalWanted(gpu=H100, duration=3_600, pay="GPUM", order_hash=bytes(range(1, 33)))
        job = (await market.rental.open(wanted)).id
        file, other = tmp_path / f"{job}.order.key", tmp_path / "other"
        key.save(file)
        SealKey.generate().save(other)
        assert "not accepted" in await run("job", "import-key", str(file), code=2)
        await marketplace.run(job, Connection(host="gpu.test", port=20_000, password="p").sealed(key.public))
        assert "job import-key FILE" in await run("job", str(job), "--connection", code=2)
        assert "--job" in await run("job", "import-key", str(other), code=2)
        assert "not sealed" in await run("job", "import-key", str(other), "--job", str(job), code=2)
        assert "is kept here" in await run("job", "import-key", str(file))
        assert "was here already" in await run("job", "import-key", str(file), "--job", str(job))
        assert "ssh -p 20000" in await run("job", str(job), "--connection")
        await market.rental.stop(job)
