"""Keepers of one operator that share a leader lock, as processes."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg
import pytest
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.service.leader_lock import LeaderLock, LeaderLockUnreachable, LeaderLockUnusable, open_lock
from keeper.leader import PURPOSE, Leadership, Role
from keeper.loop import run_once
from tests.indexer import postgres
from tests.indexer.databases import ON_POSTGRES
from tests.keeper.test_process import KEEPER, _home, environment  # noqa: F401
from tests.markets.parties import DURATION, SettingsOf, World
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

LEASE = 1.5
FILE, POSTGRES = "file", pytest.param("postgres", marks=ON_POSTGRES)


@pytest.fixture(scope="session")
def database(xprocess: XProcess) -> Iterator[str]:
    """A PostgreSQL server."""
    with postgres.server(xprocess, postgres.require()) as url:
        yield url


@pytest.fixture
def lock(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL or path of the lock."""
    url: str = request.getfixturevalue("database") if request.param == "postgres" else str(tmp_path / "leader.lock")
    return url


class Process:
    """A keeper service with a lock."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self._port = port

    async def health(self) -> dict[str, Any]:
        """The service's report on itself."""
        return await asyncio.to_thread(_json, f"http://127.0.0.1:{self._port}/health")

    async def until_role(self, role: str) -> None:
        """Waits until it has a role."""
        async with asyncio.timeout(PATIENCE):
            while (await self.health())["role"] != role:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


@asynccontextmanager
async def keeping(world: World, lock: str, **settings: object) -> AsyncIterator[Process]:
    """A keeper process from its ready line on."""
    port = free_ports()
    own = {"leader_lock": lock, "leader_lease_seconds": LEASE, "metrics_port": port, "turn_seconds": 0}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *KEEPER,
        env=environment(world, world.wallet(), **own, **settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            assert json.loads(await process.stdout.readline())["ready"]
        yield Process(process, port)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.exhaustive
@pytest.mark.parametrize("lock", [FILE, POSTGRES], indirect=True)
async def test_keeper__leader_is_killed__the_one_that_stood_by_takes_over(world: World, lock: str) -> None:
    async with keeping(world, lock) as leader, keeping(world, lock) as other:
        assert (await leader.health())["role"] == "leading"
        standing_by = await other.health()
        assert (standing_by["role"], standing_by["status"]) == ("standing_by", "ok")
        assert standing_by["last_pass_seconds_ago"] is None, "it reads nothing"
        leader.process.send_signal(signal.SIGKILL)
        await other.until_role("leading")
        [party] = world.running(1)
        world.warp(DURATION)
        await world.until_ended(party.rentals[0])


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres")
async def test_keeper__leader_hangs__loses_the_lock_within_the_lease_and_stands_by_when_it_wakes(
    world: World, database: str
) -> None:
    async with keeping(world, database) as leader, keeping(world, database) as other:
        leader.process.send_signal(signal.SIGSTOP)
        await other.until_role("leading")
        leader.process.send_signal(signal.SIGCONT)
        await leader.until_role("standing_by")
        assert (await other.health())["role"] == "leading"


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres")
async def test_keeper__database_goes_away__all_act_and_one_leads_once_it_is_back(world: World, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as admin:
        admin.execute("CREATE ROLE keeper LOGIN")
        as_keeper = database.replace(f"{postgres.OWNER}@", "keeper@")
        async with keeping(world, as_keeper) as one, keeping(world, as_keeper) as two:
            admin.execute("ALTER ROLE keeper NOLOGIN")
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'")
            await one.until_role("racing")
            await two.until_role("racing")
            [party] = world.running(1)
            world.warp(DURATION)
            await world.until_ended(party.rentals[0])
            admin.execute("ALTER ROLE keeper LOGIN")
            roles = {"leading", "standing_by"}
            async with asyncio.timeout(PATIENCE):
                while {(await each.health())["role"] for each in (one, two)} != roles:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)


async def test_decide__lock_lost_and_out_of_reach__stops_acting_and_races() -> None:
    class Lost:
        """A lock that was had, is another's, and cannot be reached."""

        told: ClassVar = iter((True, False, LeaderLockUnreachable("gone")))

        async def hold(self) -> bool:
            answer = next(self.told)
            if isinstance(answer, Exception):
                raise answer
            return bool(answer)

        async def close(self) -> None:
            raise AssertionError("nobody gives it up")

    roles: list[Role] = []
    leadership = Leadership(Lost(), LEASE, roles.append)
    acts = [leadership.acts]
    for _ in range(3):
        await leadership.decide()
        acts.append(leadership.acts)
    assert acts == [False, True, False, True]
    assert roles == [Role.LEADING, Role.STANDING_BY, Role.RACING]


async def test_run_once__another_keeper_leads__leaves_what_is_due(
    world: World, settings: SettingsOf, tmp_path: Path
) -> None:
    world.running(1)
    world.warp(DURATION)
    path = tmp_path / "leader.lock"
    leader = open_lock(str(path), PURPOSE, PROGRAM_ID, LEASE)
    assert await leader.hold()
    stood_by = await run_once(settings(leader_lock=str(path)))
    await leader.close()
    acted = await run_once(settings(leader_lock=str(path)))
    assert stood_by.stood_by and not stood_by.ended and stood_by.exit_code == 0
    assert not acted.stood_by and len(acted.ended) == 1


@pytest.mark.parametrize("lock", [FILE, POSTGRES], indirect=True)
async def test_hold__held_by_another__is_refused_until_that_closes(lock: str) -> None:
    first, second = (open_lock(lock, PURPOSE, PROGRAM_ID, LEASE) for _ in range(2))
    assert [await each.hold() for each in (first, second, first, second)] == [True, False, True, False]
    await first.close()
    async with asyncio.timeout(PATIENCE):
        while not await second.hold():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    assert not await first.hold()
    await close(first, second)


@pytest.mark.parametrize("lock", [POSTGRES], indirect=True)
async def test_hold__keepers_of_another_program__have_a_lock_of_their_own(lock: str) -> None:
    locks = [open_lock(lock, PURPOSE, program, LEASE) for program in (PROGRAM_ID, Pubkey.new_unique())]
    assert [await each.hold() for each in locks] == [True, True]
    await close(*locks)


async def test_hold__nobody_answers__is_unreachable_and_hides_the_password() -> None:
    lock = open_lock("postgresql+psycopg://keeper:hunter2hunter2@127.0.0.1:1/market", PURPOSE, PROGRAM_ID, LEASE)
    with pytest.raises(LeaderLockUnreachable) as raised:
        await lock.hold()
    assert "hunter2" not in raised.value.message


@pytest.mark.parametrize(
    ("where", "says"),
    [("sqlite:///index.db", "cannot be in sqlite"), ("postgresql://[", "malformed"), ("/proc/none/lock", "written")],
)
async def test_open_lock__of_no_use__is_a_configuration_error(where: str, says: str) -> None:
    with pytest.raises(LeaderLockUnusable, match=says):
        await open_lock(where, PURPOSE, PROGRAM_ID, LEASE).hold()


async def close(*locks: LeaderLock) -> None:
    """Gives them all up."""
    for lock in locks:
        await lock.close()


def _json(url: str) -> dict[str, Any]:
    """Also of a leader that has not made its first pass."""
    try:
        with urlopen(url, timeout=PATIENCE) as response:
            told: dict[str, Any] = json.loads(response.read())
    except HTTPError as error:
        with error:
            told = json.loads(error.read())
    return told
