"""Notifications from a service to its service manager, and when they stop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from anchor_client.service import supervision
from anchor_client.service.supervision import Supervisor
from tests.processes.service_manager import BEAT, READY, STOPPING, ServiceManager, service_manager

PATIENCE = 600.0


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[ServiceManager]:
    with service_manager(tmp_path) as listening:
        yield listening


def supervised(environment: dict[str, str], manager: ServiceManager) -> Supervisor:
    """One that has said that its service serves."""
    supervisor = Supervisor.from_environment(environment)
    supervisor.ready()
    assert manager.told() == [READY]
    return supervisor


@pytest.mark.parametrize("abstract", [False, True])
def test_supervisor__socket_of_either_kind__is_told(tmp_path: Path, abstract: bool) -> None:
    with service_manager(tmp_path, abstract=abstract) as manager:
        supervisor = Supervisor.from_environment(manager.environment(PATIENCE))
        with supervisor.loop():
            pass
        assert manager.told() == [], "before it serves"
        supervisor.ready()
        with supervisor.loop():
            assert manager.told() == [READY]
        supervisor.stopping()
        assert manager.told() == [BEAT, STOPPING]


def test_supervisor__environment__is_taken_from_child_processes(manager: ServiceManager) -> None:
    environment = manager.environment(PATIENCE) | {"WATCHDOG_PID": str(os.getpid()), "HOME": "/nowhere"}
    supervisor = supervised(environment, manager)
    assert environment == {"HOME": "/nowhere"}
    with supervisor.loop():
        pass
    assert manager.told() == [BEAT]


def test_supervisor__watchdog_of_another_process_or_none__hears_no_beat(manager: ServiceManager) -> None:
    of_another = manager.environment(PATIENCE) | {"WATCHDOG_PID": str(os.getppid())}
    for environment in (of_another, {"NOTIFY_SOCKET": manager.address}):
        with supervised(environment, manager).loop():
            pass
        assert manager.told() == []


def test_supervisor__no_service_manager__tells_nobody() -> None:
    supervisor = Supervisor.from_environment({})
    supervisor.ready()
    with supervisor.loop():
        supervisor.stopping()


def test_supervisor__service_manager_is_gone__service_goes_on(tmp_path: Path) -> None:
    supervisor = Supervisor(str(tmp_path / "gone"), PATIENCE)
    supervisor.ready()
    with supervisor.loop():
        pass


def test_turns__one_that_fails__is_a_turn_and_one_cut_short_is_none(manager: ServiceManager) -> None:
    turns = supervised(manager.environment(PATIENCE), manager).loop()
    with pytest.raises(ConnectionError), turns:
        raise ConnectionError
    assert manager.told() == [BEAT]
    with pytest.raises(asyncio.CancelledError), turns:
        raise asyncio.CancelledError
    assert manager.told() == []


def test_turns__one_loop_hangs__silences_the_others_until_it_makes_progress(
    manager: ServiceManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = supervised(manager.environment(PATIENCE), manager)
    hangs, goes_on = supervisor.loop(), supervisor.loop()
    now = 1_000.0
    monkeypatch.setattr(supervision.time, "monotonic", lambda: now)
    with hangs:
        now += PATIENCE - 1
        with goes_on:
            pass
        assert manager.told() == [BEAT]
        now += 1
        with goes_on:
            pass
        assert manager.told() == []
        hangs.progressed()
        with goes_on:
            pass
        assert manager.told() == [BEAT, BEAT]
    now += 10 * PATIENCE
    with goes_on:
        pass
    assert manager.told() == [BEAT, BEAT], "a loop that waits does not hang"
    hangs.progressed()
    assert manager.told() == [], "what is done between turns is no progress of theirs"


async def test_wait__longer_than_the_manager_waits__tells_meanwhile(manager: ServiceManager) -> None:
    supervisor, called = supervised(manager.environment(0.02), manager), asyncio.Event()
    waiting = asyncio.create_task(supervisor.wait(called, 60))
    for _ in range(3):
        await manager.heard(BEAT)
    called.set()
    assert await waiting and not called.is_set()
    assert not await supervisor.wait(called, 0.001)
