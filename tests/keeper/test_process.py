"""The keeper as a process: exit codes, signals, and what it finds again after it was killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest
from solders.keypair import Keypair
from xprocess import ProcessStarter, XProcess

from anchor_client.generated.pdas import find_host
from keeper.errors import KeeperConfigurationError
from keeper.journal import open_journal
from keeper.loop import run_once
from market_cli.main import main
from tests.markets.parties import DURATION, TIP, SettingsOf, World

ROOT = Path(__file__).parents[2]
KEEPER = ("-c", "from market_cli.main import run; run()", "keeper", "--json")
"""The arguments with which Python is a keeper."""
CRASHING = Path(__file__).with_name("crashing_keeper.py")


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home without a configuration or a wallet."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))


def environment(world: World, key: Keypair, **settings: object) -> dict[str, str]:
    """The settings of a keeper process."""
    node = {"rpc_url": world.local.http_url, "ws_url": world.local.ws_url}
    own = {**node, "keypair": key.to_json(), "turn_seconds": 0, **settings}
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        **{f"GPU_MARKET_{name.upper()}": str(value) for name, value in own.items()},
    }


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that has ended."""

    code: int
    out: str
    err: str


async def run(*arguments: str, env: dict[str, str]) -> Ran:
    """Runs Python to its end while this process serves the cluster."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


@pytest.fixture
async def service(world: World, xprocess: XProcess) -> AsyncIterator[Callable[..., Any]]:
    """Starts a keeper service as a process; its psutil.Process and the file it writes to."""
    names = []

    async def start(key: Keypair, **settings: object) -> tuple[psutil.Process, Path]:
        variables = environment(world, key, **settings)

        class Starter(ProcessStarter):  # type: ignore[misc]
            pattern = '"ready": true'
            timeout = 30
            terminate_on_interrupt = True
            args: ClassVar = [sys.executable, *KEEPER]
            env = variables
            popen_kwargs: ClassVar = {"cwd": str(ROOT)}

        name = f"keeper-{world.local.port}"
        names.append(name)
        # In a thread, since the process waits for the cluster that this event loop serves.
        pid, log = await asyncio.to_thread(xprocess.ensure, name, Starter)
        return psutil.Process(pid), Path(log)

    yield start
    for name in names:
        await asyncio.to_thread(xprocess.getinfo(name).terminate)


async def test_keeper__once__prints_its_summary_and_exits_0(world: World) -> None:
    [party] = world.running(1)
    world.warp(DURATION)
    ran = await run(*KEEPER, "--once", env=environment(world, world.wallet()))
    assert ran.code == 0, ran.err
    summary = json.loads(ran.out)
    assert [ended["rental"] for ended in summary["ended"]] == [str(party.rentals[0])]
    assert (summary["earned_lamports"], summary["spent_lamports"]) == (TIP, 5_000)


@pytest.mark.exhaustive
async def test_keeper__all_cranks_once__prints_what_it_has_done(world: World) -> None:
    host = find_host(world.party().host.pubkey())[0]
    ran = await run(*KEEPER, "--once", env=environment(world, world.wallet(), cranks="all"))
    assert ran.code == 0, ran.err
    [done] = json.loads(ran.out)["cranks"]
    assert (done["crank"], done["task"], done["address"]) == ("host", "update_reputation", str(host))


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("keypair", "/nowhere/key.json", "There is no key file at /nowhere/key.json"),
        ("keypair", "", "No wallet is set up"),
        ("keypair", "0OIl", "is not the base58 text of a key pair"),
        ("batch_mode", "huge", "batch_mode"),
        ("cranks", "host,dishes", "There is no crank 'dishes'"),
        ("program_id", "nonsense", "is not an address"),
        ("state_dir", "/proc/keeper", "cannot be written"),
        ("rpc_url", "nonsense", "is not a cluster"),
    ],
)
def test_keeper__wrong_setting__is_named_and_exits_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str, says: str
) -> None:
    monkeypatch.setenv("GPU_MARKET_KEYPAIR", Keypair().to_json())
    monkeypatch.setenv(f"GPU_MARKET_{name.upper()}", value)
    code = main(["keeper", "--once"])
    error, _remedy = capsys.readouterr().err.splitlines()
    assert code == 2 and says in error, error


def test_keeper__node_that_does_not_answer__is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GPU_MARKET_KEYPAIR", Keypair().to_json())
    monkeypatch.setenv("GPU_MARKET_RPC_URL", "http://127.0.0.1:1")
    assert main(["keeper", "--once"]) == 1
    error, _remedy = capsys.readouterr().err.splitlines()
    assert "cannot be reached" in error


async def test_run_once__lookup_table_that_is_none__is_a_configuration_error(
    world: World, settings: SettingsOf
) -> None:
    with pytest.raises(KeeperConfigurationError, match="There is no lookup table"):
        await run_once(settings(batch_mode="v0", lookup_table=Keypair().pubkey()))


@pytest.mark.exhaustive
async def test_keeper__two_on_one_state_directory__the_second_exits_2(
    world: World, tmp_path: Path, service: Callable[..., Any]
) -> None:
    await service(world.wallet(), state_dir=tmp_path)
    ran = await run(*KEEPER, "--once", env=environment(world, world.wallet(), state_dir=tmp_path))
    assert ran.code == 2 and "Another keeper uses the state directory" in ran.err


async def test_keeper__sigterm_in_the_middle_of_a_pass__exits_0_and_leaves_nothing_behind(
    world: World, tmp_path: Path, settings: SettingsOf, service: Callable[..., Any]
) -> None:
    parties = world.running(40)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())
    process, log = await service(keeper, state_dir=tmp_path, batch_mode="legacy")
    world.warp(DURATION)
    await world.until_first_ended(40)

    process.send_signal(signal.SIGTERM)
    code = await asyncio.to_thread(process.wait, 30)

    assert code == 0
    stopped = json.loads(next(line for line in log.read_text().splitlines() if '"earned_lamports"' in line))
    left = set(await world.rentals())
    ended = {entry["rental"] for entry in stopped["ended"]}
    assert ended == {str(party.rentals[0]) for party in parties if party.rentals[0] not in left}
    assert world.lamports(keeper.pubkey()) - before == stopped["earned_lamports"] - stopped["spent_lamports"]
    async with open_journal(tmp_path) as journal:
        assert await journal.entries() == []
    rest = await run_once(settings())
    assert {entry.rental for entry in rest.ended} == left


@pytest.mark.exhaustive
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_keeper__killed_between_signing_and_landing__next_run_lands_the_same_transaction(
    world: World, tmp_path: Path, settings: SettingsOf, moment: str
) -> None:
    world.running(3)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())
    world.warp(DURATION)

    killed = await run(str(CRASHING), moment, env=environment(world, keeper, state_dir=tmp_path))
    async with open_journal(tmp_path) as journal:
        [written] = await journal.entries()
    open_then = len(await world.rentals())
    summary = await run_once(settings(keypair=keeper, state_dir=tmp_path))

    assert killed.code == -signal.SIGKILL
    assert open_then == (3 if moment == "before" else 0)
    assert {ended.signature for ended in summary.ended} == {written.signature}
    assert len(summary.ended) == 3 and summary.transactions == 1
    assert world.lamports(keeper.pubkey()) - before == 3 * TIP - 5_000
    async with open_journal(tmp_path) as journal:
        assert await journal.entries() == []
