"""Images at a real registry, the program that most registries run: an engine pushes them there and pulls them, and the
agent reads them before it accepts an order.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

import pytest
from solders.pubkey import Pubkey
from xprocess import ProcessStarter, XProcess

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from anchor_client.solana.http import dialing
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import OrderRefused
from host_agent.identity import MachineIdentity
from host_agent.images.registry import ImageRegistry
from host_agent.settings.machine import MachineSettings
from host_agent.web import TlsIdentity
from tests.host_agent import openssh
from tests.host_agent.docker.engine import OwnEngine, busybox
from tests.host_agent.docker.machines import HERE, settings_here
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
PROGRAM = "docker-registry"
CONFIG = """version: 0.1
log: {{level: info}}
storage: {{filesystem: {{rootdirectory: {folder}/images}}}}
http: {{addr: "{place}", tls: {{certificate: {certificate}, key: {certificate}}}}}
"""


@pytest.fixture
def registry(tmp_path: Path, xprocess: XProcess, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Address of a registry with a certificate that the agent trusts; the engine checks none on this computer."""
    openssh.require(PROGRAM)
    place, certificate = f"{HERE}:{free_ports()}", tmp_path / "registry.pem"
    TlsIdentity.load_or_create(certificate, HERE)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr(dialing, "trusting", dialing.trusting.__wrapped__)
    config = tmp_path / "config.yml"
    config.write_text(CONFIG.format(folder=tmp_path, place=place, certificate=certificate))

    class Starter(ProcessStarter):
        pattern = "listening on"
        timeout = int(PATIENCE)
        terminate_on_interrupt = True
        args = (PROGRAM, "serve", str(config))
        popen_kwargs = MappingProxyType({"cwd": str(tmp_path)})

    xprocess.ensure(place.replace(":", "-"), Starter)
    yield place
    xprocess.getinfo(place.replace(":", "-")).terminate()


def pushed(engine: OwnEngine, image: str, *changes: str) -> str:
    """Has an image at its registry, and no longer on this machine."""
    options = [word for change in (*changes, 'CMD ["/bin/sh"]') for word in ("--change", change)]
    engine.docker("import", *options, "-", image, given=busybox())
    engine.docker("push", image)
    engine.docker("rmi", image)
    return image


def order(image: str) -> OrderDocument:
    return Workload.of(image=image).for_renter(SealKey.generate().public)


async def test_examine__image_at_a_real_registry__is_refused_before_acceptance_if_the_driver_is_too_old_and_runs_if_not(
    engine: OwnEngine, registry: str, tmp_path: Path
) -> None:
    newer = pushed(engine, f"{registry}/own/newer:1", "ENV NVIDIA_REQUIRE_CUDA=cuda>=12.6")
    other = pushed(engine, f"{registry}/own/other:1", "ENV NVIDIA_DRIVER_CAPABILITIES=compute,bogus")
    fitting = pushed(engine, f"{registry}/own/fitting:1", "ENV NVIDIA_REQUIRE_CUDA=cuda>=12.4", "ENV A=b")
    async with Engine.connect(engine.url) as connected:
        made = machine(connected, settings_here(gpus=("all",), cuda=1204), tmp_path)
        for image, name in ((newer, "NVIDIA_REQUIRE_CUDA"), (other, "NVIDIA_DRIVER_CAPABILITIES")):
            with pytest.raises(OrderRefused, match=name):
                await made.examine(order(image))
        await made.examine(order(fitting))
        assert registry not in engine.docker("images", "--format", "{{.Repository}}"), "nothing has been pulled"
        settings = settings_here()
        without_gpus = machine(connected, settings, tmp_path)
        await without_gpus.provision(Pubkey.new_unique(), order(fitting))
        assert engine.run_in(name_of(settings.listing, TENANT), "/bin/sh", "-c", "echo $A").strip() == "b"
        await without_gpus.vacate()


async def test_provision__image_that_a_real_registry_does_not_have__is_the_orders_fault(
    engine: OwnEngine, registry: str, tmp_path: Path
) -> None:
    async with Engine.connect(engine.url) as connected:
        made = machine(connected, settings_here(), tmp_path)
        with pytest.raises(OrderRefused):
            await made.provision(Pubkey.new_unique(), order(f"{registry}/own/nothing:1"))


def machine(connected: Engine, settings: MachineSettings, folder: Path) -> DockerMachine:
    """A machine that may read images at registries of this computer."""
    identity = MachineIdentity.load_or_create(folder, HERE)
    registry = ImageRegistry({HERE}.__contains__)
    return DockerMachine(connected, settings, SealKey.generate(), identity, registry=registry)
