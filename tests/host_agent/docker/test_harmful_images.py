"""Images whose settings or files would harm the engine that starts them, on a real one."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import os
import tarfile
from collections.abc import AsyncIterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import web
from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from host_agent.docker import engine as engines
from host_agent.docker import fetch_guard
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault, OrderRefused
from host_agent.images.rules import ImageRules
from host_agent.settings.machine import MachineSettings
from tests.host_agent.docker import registry as registries
from tests.host_agent.docker.engine import IMAGE, OwnEngine, busybox, with_file
from tests.host_agent.docker.machines import machine_on, settings_here
from tests.host_agent.docker.registry import CONFIG, LAYER, Registry
from tests.processes.patience import PATIENCE

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
HARMFUL: Final = "gpu-market-test/harmful:1"
MOST_SENT_MIB: Final = 400
"""Of a configuration without end, should nobody cut it."""


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    async with registries.running() as running:
        yield running


@pytest.fixture
def settings() -> MachineSettings:
    return settings_here()


@pytest.fixture
async def machine(engine: OwnEngine, settings: MachineSettings, tmp_path: Path) -> AsyncIterator[DockerMachine]:
    async with machine_on(engine, settings, tmp_path) as made:
        yield made


def containers(engine: OwnEngine, settings: MachineSettings) -> set[str]:
    """Those of this machine: the engine has other tests' too."""
    return {name for name in engine.names("ps", "--all") if str(settings.listing) in name}


def order(image: str) -> OrderDocument:
    return Workload.of(image=image).for_renter(SealKey.generate().public)


def offered(registry: Registry, files: bytes, author: str = "", **settings: Any) -> str:
    """Has an image of these files and settings at the registry; returns its name."""
    digests = [registry.part(LAYER, files)["digest"]]
    config = {"Cmd": ["/bin/sh"], **settings}
    layers = {"type": "layers", "diff_ids": digests}
    whole = {"architecture": "amd64", "os": "linux", "config": config, "rootfs": layers, "author": author}
    layer = registry.part(LAYER, gzip.compress(files, 1, mtime=0))
    registry.offer("own/harmful", registry.part(CONFIG, json.dumps(whole).encode()), [layer])
    return f"{registry.place}/own/harmful:1"


def special(name: str, kind: bytes, **parts: Any) -> bytes:
    """A shell and one entry that is no plain file, as a tar archive."""
    target = io.BytesIO(busybox())
    with tarfile.open(fileobj=target, mode="a") as archive:
        made = tarfile.TarInfo(name)
        made.type = kind
        for part, value in parts.items():
            setattr(made, part, value)
        archive.addfile(made)
    return target.getvalue()


ENDLESS: Final = {"devmajor": 1, "devminor": 5}
"""/dev/zero."""
ACCOUNT_FILES: Final = {
    "users-without-end": special("etc/passwd", tarfile.CHRTYPE, **ENDLESS),
    "groups-without-end": special("etc/group", tarfile.CHRTYPE, **ENDLESS),
    "users-of-a-pipe": special("etc/passwd", tarfile.FIFOTYPE),
    "groups-of-a-pipe": special("etc/group", tarfile.FIFOTYPE),
    "groups-by-a-link": special("etc/group", tarfile.SYMTYPE, linkname="/dev/zero"),
    "groups-too-large": with_file(b"x:x:1:\n" * 150_000, "etc/group"),
}
"""Images by what the engine would read of them without end."""


@pytest.mark.parametrize("kind", ACCOUNT_FILES)
async def test_image__users_and_groups_cannot_be_read__is_refused_and_wiped(
    engine: OwnEngine, registry: Registry, settings: MachineSettings, machine: DockerMachine, kind: str
) -> None:
    image = offered(registry, ACCOUNT_FILES[kind], User="1000")
    with pytest.raises(OrderRefused, match="is no file of at most 1 MiB"):
        await machine.provision(Pubkey.new_unique(), order(image))
    await machine.vacate()
    assert containers(engine, settings) == set(), "the engine has been left working"


async def test_image__workspace_leads_elsewhere__is_refused(machine: DockerMachine, registry: Registry) -> None:
    image = offered(registry, special("workspace", tarfile.SYMTYPE, linkname="/proc"))
    with pytest.raises(OrderRefused, match="/workspace is a link"):
        await machine.provision(Pubkey.new_unique(), order(image))


async def test_tenant__puts_a_pipe_for_their_users__stays_stopped_and_is_wiped(
    engine: OwnEngine, tmp_path: Path
) -> None:
    rental, settings = Pubkey.new_unique(), settings_here()
    name = name_of(settings.listing, TENANT)
    async with machine_on(engine, settings, tmp_path) as machine:
        await machine.provision(rental, order(IMAGE))
        engine.run_in(name, "mkfifo", "/etc/passwd")
        engine.docker("kill", name)
        assert await machine.holds(rental)
        assert name in engine.names("ps", "--all") - engine.names("ps")
        await machine.vacate()
        assert name not in engine.names("ps", "--all")


SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "variables": {"Env": [f"A{number}=" for number in range(1_001)]},
    "volumes": {"Volumes": {f"/v{number}": {} for number in range(101)}},
    "characters of settings": {"author": "x" * 2**20},
}


@pytest.mark.parametrize("kind", SETTINGS)
async def test_image__more_settings_than_an_engine_handles_soon__is_refused(
    machine: DockerMachine, registry: Registry, kind: str
) -> None:
    image = offered(registry, busybox(), **SETTINGS[kind])
    with pytest.raises(OrderRefused, match=kind):
        await machine.provision(Pubkey.new_unique(), order(image))


@pytest.mark.parametrize("ends", ["by its memory", "by its silence"])
async def test_image__configuration_without_end__is_refused_and_the_engine_stops_to_read(
    machine: DockerMachine, registry: Registry, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    """Engines read it into memory, also after a fetch has been ended."""
    image = registry.add("own/endless", with_file(os.urandom(16)), "amd64")
    settings = json.loads(registry.manifests["own/endless/1"][1])["config"]["digest"]
    refused, cut = asyncio.Event(), asyncio.Event()

    async def endless(request: web.Request) -> web.StreamResponse:
        digest = request.path.rpartition("/")[2]
        if digest != settings:
            return web.Response(body=registry.blobs[digest])
        response = web.StreamResponse()
        await response.prepare(request)
        if ends == "by its silence":
            await refused.wait()
        try:
            for _ in range(MOST_SENT_MIB):
                await response.write(bytes(2**20))
        except ConnectionError:
            cut.set()
        return response

    registry.answers["own/endless", "blobs"] = endless
    monkeypatch.setattr(fetch_guard, "MOST_GROWTH", 64 * 2**20)
    if ends == "by its silence":
        monkeypatch.setattr(engines, "ANSWER_SECONDS", 2.0)
    with pytest.raises(OrderRefused, match="settings" if ends == "by its memory" else "does not answer in time"):
        async with asyncio.timeout(PATIENCE):
            await machine.provision(Pubkey.new_unique(), order(image))
    refused.set()
    async with asyncio.timeout(PATIENCE):
        await cut.wait()


async def test_image__volumes_within_each_other__count_with_all_their_copies(
    engine: OwnEngine, registry: Registry, tmp_path: Path
) -> None:
    data = with_file(bytes(2**20), "a/b/c/large")
    wanted = order(offered(registry, data, Volumes={"/a": {}, "/a/b": {}, "/a/b/c": {}}))
    for copies, fault in ((3, pytest.raises(OrderRefused, match="larger than this host")), (4, nullcontext())):
        settings = settings_here(images=ImageRules(max_bytes=copies * len(data)))
        async with machine_on(engine, settings, tmp_path / str(copies)) as machine:
            with fault:
                await machine.provision(Pubkey.new_unique(), wanted)


async def test_image__checks_its_health__does_not_run_anything_beside_the_tenant(
    engine: OwnEngine, settings: MachineSettings, machine: DockerMachine
) -> None:
    changes = ("--change", "HEALTHCHECK --interval=1ms CMD true", "--change", 'CMD ["/bin/sh"]')
    engine.docker("import", *changes, "-", HARMFUL, given=busybox())
    await machine.provision(Pubkey.new_unique(), order(HARMFUL))
    assert "Health" not in engine.inspect(name_of(settings.listing, TENANT))["State"]


async def test_image__named_by_an_id_of_the_machines_own__is_not_run(
    engine: OwnEngine, settings: MachineSettings, machine: DockerMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = str(json.loads(engine.docker("image", "inspect", IMAGE))[0]["Id"])
    monkeypatch.setattr(engines, "ANSWER_SECONDS", 1.0)
    for name in (digest, digest.removeprefix("sha256:")[:12]):
        with pytest.raises((OrderRefused, MachineFault), match=r"docker\.io"):  # whichever Docker Hub gives here
            await machine.provision(Pubkey.new_unique(), order(name))
        assert not containers(engine, settings)
