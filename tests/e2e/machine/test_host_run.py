"""`gpu-market host run` with a real Docker engine, and renters who come by the command line and by SSH."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncssh
import httpx
import pytest
from msgspec.structs import replace
from xprocess import XProcess

from anchor_client.market import JobState
from anchor_client.sealing import SealKey
from host_agent.docker.container import BACKGROUND, TENANT
from tests.e2e.console import SCRIPT
from tests.e2e.machine.hosts import SECONDS, Host, listed_host, until_idle, until_state, until_wiped
from tests.e2e.seeded import UpProcess
from tests.host_agent import openssh
from tests.host_agent.docker.engine import BARE_IMAGE, IMAGE, OwnEngine
from tests.host_agent.docker.https import fetch
from tests.host_agent.gateway.held import held_sessions, newcomers
from tests.host_agent.ssh import inside
from tests.indexer.service import until
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

pytestmark = pytest.mark.docker
GPU = "nvidia-h200-sxm5-141gb"
MACHINE = ("--gpu", GPU, "--price", "3.10")
RESTARTS = 10
ECHO = 7000


@pytest.fixture(scope="module")
def host(
    engine: OwnEngine, xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory, up: UpProcess
) -> Iterator[Host]:
    """A registered, approved and listed machine with its agent."""
    made = listed_host(xprocess, up, engine, tmp_path_factory.mktemp("host"), *MACHINE)
    made.start()
    yield made
    made.kill()


@pytest.fixture
async def idle(host: Host) -> Host:
    """The same once its background job runs."""
    await until_idle(host)
    return host


async def test_host_run__two_renters_one_after_the_other__each_has_a_machine_of_his_own(idle: Host) -> None:
    host = idle
    networks = host.engine.names("network", "ls")
    assert host.roles() == [(BACKGROUND, None)]
    write = "for place in /secret /data/secret; do echo mine > $place; done"
    serve = f"{write}; mkdir /www; echo served > /www/index.html; httpd -p 8080 -h /www"
    job = host.rent("--image", IMAGE, "--command", serve, "--port", "8080/http", "--env", "WHO=me")
    first = await host.connection(job)
    assert host.roles() == [(TENANT, job)]
    shown = host.up.console.run("job", job, "--connection").stdout
    assert first.port == host.port
    assert f"ssh -p {first.port} root@127.0.0.1" in shown and f"port 8080   {first.urls[8080]}" in shown
    assert str(first.fingerprint) in shown.replace("\n", "")
    volumes = {mount["Destination"]: mount["Name"] for mount in host.engine.inspect(host.tenant)["Mounts"]}
    assert volumes.keys() == {"/data", "/workspace"}
    assert await inside(first, "cat /secret /data/secret; echo $WHO") == (0, "mine\nmine\nme\n")
    assert await fetch(first, 8080) == (200, "served\n")
    with pytest.raises(asyncssh.PermissionDenied):
        await inside(replace(first, password="guessed"), "true")

    stopped = host.up.console.json("stop", job)
    assert stopped["close_reason"] == "stopped"
    await until_idle(host)
    assert not set(volumes.values()) & host.engine.names("volume", "ls")
    assert host.engine.names("network", "ls") == networks
    with pytest.raises(ConnectionRefusedError):
        await inside(first, "true")

    job = host.rent("--image", IMAGE)
    second = await host.connection(job)
    assert (await inside(second, "ls /secret /data/secret /www"))[1] == ""
    with pytest.raises(asyncssh.PermissionDenied):
        await inside(first, "true")
    host.up.console.json("stop", job)
    await until_idle(host)


async def test_host_run__host_is_paid_for_a_rental__log_and_api_say_how_long_that_took(idle: Host) -> None:
    host = idle
    wallet = host.up.console.json("listing", host.listing)["host_authority"]
    job = host.rent("--image", IMAGE)
    await until_state(host, job, JobState.RUNNING)
    found: list[dict[str, Any]] = []

    async def told() -> bool:
        lines = host.xprocess.getinfo(host.name).logpath.read_text("utf-8").splitlines()
        found[:] = [json.loads(line) for line in lines if "rental_credited" in line and job in line]
        return bool(found)

    await until(told)
    async with httpx.AsyncClient(base_url=host.up.ready["api_url"], timeout=PATIENCE) as api:

        async def indexed() -> bool:
            return bool((await api.get(f"/api/jobs/{job}")).json()["payments"])

        await until(indexed)
        rental, account = [(await api.get(path)).json() for path in (f"/api/jobs/{job}", f"/api/hosts/{wallet}")]
    assert found[0]["seconds"] == rental["payments"][0]["ts"] - rental["created_at"]
    assert account["credit_seconds"] >= account["start_seconds"] >= 0
    assert found[0]["median_seconds"] is not None
    host.up.console.json("stop", job)
    await until_idle(host)


async def test_host_run__agent_killed_while_a_tenant_works__finds_him_again(idle: Host) -> None:
    host = idle
    job = host.rent("--image", IMAGE, "--command", "echo kept > /kept")
    connection = await host.connection(job)
    container = host.engine.inspect(host.tenant)["Id"]
    host.kill()
    assert host.engine.inspect(host.tenant)["State"]["Running"]
    host.start()
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                assert await inside(connection, "cat /kept") == (0, "kept\n")
            except ConnectionRefusedError:
                await asyncio.sleep(0.1)
            else:
                break
    assert host.engine.inspect(host.tenant)["Id"] == container
    host.kill()
    host.up.console.json("stop", job)
    assert host.engine.inspect(host.tenant)["State"]["Running"]
    host.start()
    await until_idle(host)


async def test_host_run__key_changed_while_the_agent_is_away__tenant_is_wiped_and_no_other_let_in(idle: Host) -> None:
    host, console = idle, idle.up.console
    job = host.rent("--image", IMAGE)
    await host.connection(job)
    host.kill()
    console.run("stop", job)
    other = console.json("wallet", "new", str(host.home / "operator.json"))["address"]
    owner = console.json("listing", host.listing)["operator"]
    console.run("host", "operator", other, "--listing", host.listing, *host.own)
    assert (TENANT, job) in host.roles()
    host.start()
    await until_wiped(host)
    host.kill()
    refused = console.run("host", "run", *host.options(), code=2).stderr
    assert f"is operated by {other}" in refused
    console.run("host", "operator", owner, "--listing", host.listing, *host.own)
    host.start()
    await until_idle(host)


async def test_host_run__both_keys_replaced_while_the_agent_is_away__tenant_keeps_their_time_and_is_wiped(
    idle: Host,
) -> None:
    host, console = idle, idle.up.console
    job = host.rent("--image", IMAGE)
    connection = await host.connection(job)
    host.kill()
    other = console.json("wallet", "new", str(host.home / "next.json"))["address"]
    owner = console.json("listing", host.listing)["operator"]
    console.run("host", "seal-key", str(host.home / "next.key"), *host.own)
    wrong = console.run("host", "run", *host.options(), code=2).stderr
    assert "another key" in wrong and (TENANT, job) in host.roles(), "it would still get orders, and the job is paid"
    console.run("host", "operator", other, "--listing", host.listing, *host.own)
    host.start()
    assert await inside(connection, "echo mine") == (0, "mine\n")
    console.run("stop", job)
    await until_wiped(host)
    host.kill()
    assert "another key" in console.run("host", "run", *host.options(), code=2).stderr
    console.run("host", "operator", owner, "--listing", host.listing, *host.own)
    (host.home / "next.key").replace(host.home / "seal.key")
    host.start()
    await until_idle(host)


def started_for_another_listing(idle: Host) -> Host:
    """An agent of the same host for a new listing, in the place of the one that runs."""
    idle.kill()
    listed = idle.up.console.json("host", "list", *MACHINE, "--region", "us-east", *idle.own)["listing"]
    other = dataclasses.replace(idle, listing=listed, port=free_ports(8))
    other.start()
    return other


@pytest.mark.parametrize("starts", [True, False])
async def test_host_run__listing_closed_while_its_agent_is_away__tenant_is_wiped_by_the_next_that_tries_to_start(
    idle: Host, starts: bool
) -> None:
    console = idle.up.console
    closed = started_for_another_listing(idle)
    job = closed.rent("--image", IMAGE)
    await closed.connection(job)
    closed.kill()
    console.run("stop", job)
    console.run("host", "close", closed.listing, *idle.own)
    assert closed.roles() == [(TENANT, job)]
    if not starts:
        assert "not a listing of this host" in console.run("host", "run", *closed.options(), code=2).stderr
        assert closed.tenant not in closed.engine.names("network", "ls")
    idle.start()
    await until_wiped(closed)
    await until_idle(idle)


async def test_host_run__idle_listing_closed_while_its_agent_is_away__the_next_ends_its_background_job(
    idle: Host,
) -> None:
    console = idle.up.console
    closed = started_for_another_listing(idle)
    await until_idle(closed)
    closed.kill()
    console.run("host", "close", closed.listing, *idle.own)
    assert closed.roles() == [(BACKGROUND, None)]
    idle.start()
    assert closed.roles() == [], "it would keep the next tenant's GPUs"
    await until_idle(idle)


async def test_host_run__ten_restarts_while_a_renter_works__nothing_is_cut_and_nobody_refused(
    idle: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    host = idle
    echo = f"while :; do nc -l -p {ECHO} 127.0.0.1 -e cat; done"
    job = host.rent("--image", IMAGE, "--command", echo)
    connection = await host.connection(job)
    gateways = host.home / "state" / "gateways"
    async with held_sessions(connection, ECHO) as held, newcomers(connection) as new:
        for turn in range(RESTARTS):
            await asyncio.to_thread(host.end, signal.SIGKILL if turn % 2 else signal.SIGTERM)
            await held.work()
            await asyncio.to_thread(host.start)
            await held.work()
        [handed_over] = await asyncio.to_thread(
            host.up.console.json, "host", "handover", "--state-dir", str(host.home / "state")
        )
        await held.work()
        assert await inside(connection, "echo new") == (0, "new\n")
        assert (handed_over["rental"], handed_over["listing"]) == (job, host.listing)
        assert len(list(gateways.glob("*.sock"))) == 2
        assert new.greeted > RESTARTS and new.refused == 0
        host.up.console.json("stop", job)
        await until_idle(host)
    assert not list(gateways.glob("*.sock"))
    with capsys.disabled():
        print(f"\n{new.greeted} connections greeted, the longest after {new.longest:.2f} s")


async def test_host_run__order_that_cannot_run__renter_has_his_money_back(idle: Host) -> None:
    job = idle.rent("--image", BARE_IMAGE, "--command", "true")
    await until_state(idle, job, JobState.FAILED)
    ended = idle.job(job)
    assert (ended["close_reason"], ended["refunded"]) == ("order_unrunnable", ended["deposit"])
    assert "/bin/sh" in ended["note"] and "no such file" in ended["note"]
    await until_idle(idle)


async def test_host_run__paid_time_runs_out__machine_is_wiped_and_the_job_back(idle: Host) -> None:
    job = idle.rent("--image", IMAGE, "--duration", "20m")
    await idle.connection(job)
    idle.up.warp(600)
    idle.up.console.run("host", "heartbeat", idle.listing, *idle.own)
    idle.up.warp(610)
    await until_state(idle, job, JobState.COMPLETED)
    await until_idle(idle)


async def test_host_run__second_agent_no_gpus_wrong_key_other_listing__each_is_told_what_to_do(idle: Host) -> None:
    run, console = ("host", "run"), idle.up.console
    elsewhere = ("--state-dir", str(idle.home / "other"))
    for directory in ((), elsewhere):
        second = console.run(*run, *idle.options(*directory), code=2).stderr
        assert f"Another agent on this machine serves the listing {idle.listing}" in second
    gpus = console.run(*run, *idle.options("--gpus", "all", *elsewhere), code=2).stderr
    assert "cannot give GPUs" in gpus and "--gpus none" in gpus
    key = str(idle.home / "other.key")
    SealKey.generate().save(key)
    wrong = console.run(*run, *idle.options("--seal-key", key, *elsewhere), code=2).stderr
    assert "another key" in wrong
    listing = console.json("listings")[0]["id"]
    other = console.run(*run, *idle.options("--listing", listing, *elsewhere), code=2).stderr
    assert "not a listing of this host" in other
    seldom = console.run(*run, *idle.options("--heartbeat", "900", *elsewhere), code=2).stderr
    assert "675 s or less" in seldom
    nothing = console.run(*run, *idle.options("--engine", "unix:///nowhere.sock", *elsewhere), code=2).stderr
    assert "Cannot connect" in nothing


def test_host_machines__no_engine__says_so(idle: Host) -> None:
    done = idle.up.console.run("host", "machines", "--engine", "unix:///nowhere.sock", code=2)
    message, remedy = done.stderr.splitlines()
    assert "Cannot connect" in message and "docker info" in remedy


async def test_rent_script__until_exit_and_fetch__brings_back_what_it_made(idle: Host, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "run.sh").write_text("cat input; mkdir out; echo made > out/result; exit 3\n")
    (folder / "input").write_text("read\n")
    wanted = ("--listing", idle.listing, "--duration", "1h", "--pay", "USDC", "--image", IMAGE)
    script = ("--script", str(folder), "--until-exit", "--fetch", "out/")
    environment = idle.up.console.environment
    renting = asyncio.create_task(
        openssh.run(str(SCRIPT), "rent", *wanted, *script, environment=environment, cwd=tmp_path)
    )

    async def has_exited() -> bool:
        if renting.done():
            return True
        states = idle.engine.docker("ps", "--all", "--filter", f"name={idle.tenant}", "--format", "{{.State}}")
        return states.strip() == "exited"

    await until(has_exited, SECONDS)
    idle.up.warp(61)  # the least that an order costs is a minute
    idle.up.console.run("host", "heartbeat", idle.listing, *idle.own)
    done = await renting
    assert done.code == 3 and "read" in done.out, done
    assert (tmp_path / "out" / "result").read_text() == "made\n"
    job = idle.up.console.json("jobs", "--all")[0]["id"]
    await until_state(idle, job, JobState.COMPLETED)
    assert idle.job(job)["exit_code"] == 3


async def test_ssh_and_cp__rented_machine__needs_no_password(idle: Host, tmp_path: Path) -> None:
    openssh.require("ssh")
    job = idle.rent("--image", IMAGE, "--name", "mine")
    await until_state(idle, job, JobState.RUNNING)
    environment = idle.up.console.environment
    (tmp_path / "file").write_text("sent")
    assert (
        await openssh.run(str(SCRIPT), "cp", "file", "mine:/data/", environment=environment, cwd=tmp_path)
    ).code == 0
    done = await openssh.run(str(SCRIPT), "ssh", "mine", "--", "cat /data/file; exit 9", environment=environment)
    assert (done.code, done.out) == (9, "sent"), done
    idle.up.console.run("stop", "mine")
