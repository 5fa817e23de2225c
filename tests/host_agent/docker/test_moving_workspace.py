"""/workspace on its way from one machine to another, in real containers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from solders.pubkey import Pubkey

from anchor_client.market.rental.actions import Access
from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from host_agent.docker.machine import DockerMachine
from market_cli.machine.carrying import ARRIVED, carrying
from market_cli.machine.reach import JobReach
from tests.host_agent.docker.engine import IMAGE, TOOLS_IMAGE, OwnEngine
from tests.host_agent.docker.machines import machine_on, settings_here
from tests.host_agent.ssh import inside
from tests.indexer.service import until

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]


@pytest.fixture
async def machines(engine: OwnEngine, tmp_path: Path) -> AsyncIterator[list[DockerMachine]]:
    """Two machines on one engine."""
    one, other = (machine_on(engine, settings_here(), tmp_path / name) for name in ("one", "other"))
    async with one as first, other as second:
        yield [first, second]


def reach(machine: DockerMachine, rental: Pubkey, wanted: OrderDocument) -> JobReach:
    return JobReach(rental, Access(machine.connection(rental, wanted), None))


async def test_workspace__machine_is_preempted__is_on_the_next_with_its_last_checkpoint(
    machines: list[DockerMachine], tmp_path: Path
) -> None:
    old, new = machines
    lost, wanted = Pubkey.new_unique(), Workload(image=IMAGE, checkpoint="echo last > /workspace/state")
    first = wanted.for_renter(SealKey.generate().public)
    await old.provision(lost, first)
    make = "mkdir /workspace/deep && echo begun > '/workspace/deep/a file' && chmod 750 '/workspace/deep/a file'"
    assert await inside(old.connection(lost, first), make) == (0, "")
    told, warned = list[str](), list[str]()
    async with carrying(tmp_path / "carried", told.append, warned.append) as carrier:
        [folder] = (tmp_path / "carried").iterdir()
        carrier.warned(reach(old, lost, first), 3_600)
        await old.checkpoint(lost, 60)

        async def saved() -> bool:
            return (folder / "state").exists() and (folder / "deep" / "a file").exists()

        await until(saved)
        await old.vacate()
        carrier.lost(reach(old, lost, first))
        await carrier.settle()
        found, second = Pubkey.new_unique(), Workload(image=TOOLS_IMAGE).for_renter(SealKey.generate().public)
        await new.provision(found, second)
        carrier.arrived(reach(new, found, second))
        await carrier.settle()
    tell = f"cd /workspace && cat state 'deep/a file' && stat -c %a 'deep/a file' && ls -A {ARRIVED}"
    assert await inside(new.connection(found, second), tell) == (0, f"last\nbegun\n750\n{ARRIVED}\n")
    assert "2 files, 11 bytes" in "".join((*told, *warned))
