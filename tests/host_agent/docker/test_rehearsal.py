"""An order without a renter, on a real Docker engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from host_agent.docker.engine import Engine
from host_agent.docker.rehearsal import answering_ports, left_over, rehearsed
from host_agent.errors import MachineFault, OrderRefused
from host_agent.identity import MachineIdentity
from tests.host_agent.docker.engine import BARE_IMAGE, IMAGE, OwnEngine
from tests.host_agent.docker.machines import settings_here
from tests.host_agent.ssh import inside

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]


async def test_rehearsal__machine_that_works__answers_at_every_port_and_leaves_nothing(
    engine: OwnEngine, tmp_path: Path
) -> None:
    settings = settings_here()
    identity = MachineIdentity.load_or_create(tmp_path, settings.address)
    before = engine.names("volume", "ls"), engine.names("network", "ls")
    async with Engine.connect(engine.url) as connected:
        async with rehearsed(connected, settings, identity, IMAGE) as rehearsal:
            assert await inside(rehearsal.connection, "cat /workspace/index.html") == (0, f"{rehearsal.token}\n")
            ports = await answering_ports(rehearsal)
            assert len(ports) == 6 and all(ports.values())
            assert await left_over(connected, settings) == ["container", "network", "workspace"]
        assert await left_over(connected, settings) == []
    assert (engine.names("volume", "ls"), engine.names("network", "ls")) == before


async def test_rehearsal__order_serves_nothing_at_a_port__is_found(
    engine: OwnEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host_agent.docker.rehearsal.SECONDS", 1.0)
    settings = settings_here()
    identity = MachineIdentity.load_or_create(tmp_path, settings.address)
    async with (
        Engine.connect(engine.url) as connected,
        rehearsed(connected, settings, identity, IMAGE) as rehearsal,
    ):
        await inside(rehearsal.connection, "echo other > /workspace/index.html")
        assert set((await answering_ports(rehearsal)).values()) == {False, True}, "the terminal alone answers"


async def test_rehearsal__image_or_machine_that_cannot__is_wiped_all_the_same(
    engine: OwnEngine, tmp_path: Path
) -> None:
    settings = settings_here()
    identity = MachineIdentity.load_or_create(tmp_path, settings.address)
    async with Engine.connect(engine.url) as connected:
        with pytest.raises(OrderRefused):
            async with rehearsed(connected, settings, identity, BARE_IMAGE):
                pytest.fail("it runs")
        async with await asyncio.start_server(lambda reader, writer: None, settings.bind, settings.first_port):
            with pytest.raises(MachineFault):
                async with rehearsed(connected, settings, identity, IMAGE):
                    pytest.fail("it runs")
        assert await left_over(connected, settings) == []
