"""Orders whose images do not run or come from registries that misbehave, on a real engine: none is the host's fault."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import os
import tarfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import web
from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from anchor_client.service.backoff import Backoff
from host_agent.docker import engine as engines
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault, OrderRefused
from host_agent.images.rules import ImageRules
from tests.host_agent.docker import registry as registries
from tests.host_agent.docker.engine import IMAGE, OwnEngine, busybox
from tests.host_agent.docker.machines import machine_on, settings_here
from tests.host_agent.docker.registry import CONFIG, LAYER, MANIFEST, MANIFESTS, Answer, Registry
from tests.processes.patience import PATIENCE

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
HERE: Final = {"architecture": "amd64", "os": "linux"}
TOO_MANY_LAYERS: Final = 130
BAD_IMAGE: Final = "gpu-market-test/bad:1"


class Immediate(Backoff):
    """No wait between attempts."""

    def spread(self, failures: int) -> float:
        return 0.0


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    async with registries.running() as running:
        yield running


@pytest.fixture
async def machine(engine: OwnEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DockerMachine]:
    monkeypatch.setattr(engines, "TRY_AGAIN", Immediate(first=0.0, most=0.0))
    monkeypatch.setattr(engines, "ANSWER_SECONDS", 20.0)
    async with machine_on(engine, settings_here(), tmp_path) as made:
        yield made


def order(image: str, **parts: object) -> OrderDocument:
    return Workload.of(image=image, **parts).for_renter(SealKey.generate().public)


def files(**found: bytes | None) -> bytes:
    """A shell with further files, as a tar archive; None makes a folder, and `__` stands for a slash."""
    target = io.BytesIO(busybox())
    with tarfile.open(fileobj=target, mode="a") as archive:
        for name, data in found.items():
            info = tarfile.TarInfo(name.replace("__", "/"))
            info.type, info.size = (tarfile.DIRTYPE, 0) if data is None else (tarfile.REGTYPE, len(data))
            info.mode = 0o755
            archive.addfile(info, io.BytesIO(data or b""))
    return target.getvalue()


IMAGES: Final[Mapping[str, tuple[tuple[str, ...], Mapping[str, bytes | None]]]] = {
    "user-missing": (("USER nobody-has-this-name",), {}),
    "group-missing": (("USER 0:no-group-has-this-name",), {}),
    "user-too-large": (("USER 4294967296",), {}),
    "folder-is-a-file": (("WORKDIR /bin/busybox",), {}),
    "folder-below-a-file": (("WORKDIR /bin/busybox/below",), {}),
    "volume-proc": (("VOLUME /proc",), {}),
    "volume-is-a-file": (("VOLUME /bin/busybox",), {}),
    "workspace-is-a-file": ((), {"workspace": b"a file"}),
    "resolver-is-a-folder": ((), {"etc__resolv.conf": None, "etc__resolv.conf__x": b""}),
    "program-is-a-folder": (('ENTRYPOINT ["/etc"]',), {}),
    "program-missing": (('ENTRYPOINT ["/no/such/program"]',), {}),
}
"""Images by what is wrong with them: changes of their configuration, and files."""


@pytest.mark.parametrize("kind", IMAGES)
async def test_image__cannot_be_started__is_the_orders_fault(
    engine: OwnEngine, machine: DockerMachine, kind: str
) -> None:
    changes, found = IMAGES[kind]
    options = [word for change in (*changes, 'CMD ["/bin/sh"]') for word in ("--change", change)]
    engine.docker("import", *options, "-", BAD_IMAGE, given=files(**found))
    try:
        await machine.provision(Pubkey.new_unique(), order(BAD_IMAGE))
    except OrderRefused:
        return
    pytest.fail("it was started, so it is no case")


def says(status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> Answer:
    """An answer that is always the same."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, body=body, headers={"Content-Type": kind, **headers})

    return answer


async def back_again(request: web.Request) -> web.StreamResponse:
    """A redirect to the same place."""
    return web.Response(status=307, headers={"Location": request.path})


async def never(request: web.Request) -> web.StreamResponse:
    """No answer."""
    await asyncio.Event().wait()
    raise AssertionError


async def breaks_off(request: web.Request) -> web.StreamResponse:
    """Half of what is announced."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"half")
    assert request.transport is not None
    request.transport.abort()
    return response


MANIFEST_ANSWERS: Final[Mapping[str, Answer]] = {
    **{f"status-{status}": says(status, b"{}") for status in (401, 403, 418, 429, 500, 502, 503)},
    "error-in-the-engines-words": says(
        500, json.dumps({"errors": [{"code": "UNKNOWN", "message": "dial tcp: no such host"}]}).encode()
    ),
    "error-of-a-full-disk": says(
        404, json.dumps({"errors": [{"code": "UNKNOWN", "message": "write /x: no space left on device"}]}).encode()
    ),
    "html": says(200, b"<html>Welcome</html>", "text/html"),
    "nothing": says(200, b"", MANIFEST),
    "no-json": says(200, b"not JSON", MANIFEST),
    "redirects": back_again,
    "breaks-off": breaks_off,
    "schema-1": says(
        200,
        json.dumps({"schemaVersion": 1, "name": "a", "tag": "1", "fsLayers": [], "history": []}).encode(),
        "application/vnd.docker.distribution.manifest.v1+prettyjws",
    ),
    "other-than-its-digest": says(
        200, b'{"schemaVersion": 2}', MANIFEST, **{"Docker-Content-Digest": f"sha256:{'0' * 64}"}
    ),
}


@pytest.mark.parametrize("kind", MANIFEST_ANSWERS)
async def test_registry__answers_anything_for_a_manifest__is_the_orders_fault(
    machine: DockerMachine, registry: Registry, kind: str
) -> None:
    registry.answers["own/bad", "manifests"] = MANIFEST_ANSWERS[kind]
    with pytest.raises(OrderRefused):
        await machine.provision(Pubkey.new_unique(), order(f"{registry.place}/own/bad:1"))


@pytest.mark.parametrize("what", ["manifests", "blobs"])
async def test_registry__never_answers__ends_the_order_in_time(
    engine: OwnEngine, machine: DockerMachine, registry: Registry, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "ANSWER_SECONDS", 1.0)
    image = registry.add("own/late", busybox(), HERE["architecture"])
    registry.answers["own/late", what] = never
    with pytest.raises(OrderRefused, match="does not answer in time"):
        await machine.provision(Pubkey.new_unique(), order(image))


async def test_registry__gives_layers_without_their_configuration__ends_the_order_in_time(
    machine: DockerMachine, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "ANSWER_SECONDS", 3.0)
    image = registry.add("own/layers", fresh(), HERE["architecture"])
    settings = json.loads(registry.manifests["own/layers/1"][1])["config"]["digest"]

    async def layers(request: web.Request) -> web.StreamResponse:
        if request.path.endswith(settings):
            return await never(request)
        return web.Response(body=registry.blobs[request.path.rpartition("/")[2]])

    registry.answers["own/layers", "blobs"] = layers
    with pytest.raises(OrderRefused, match="does not answer in time"):
        async with asyncio.timeout(PATIENCE):
            await machine.provision(Pubkey.new_unique(), order(image))


async def test_registry__trickles_a_layer__ends_the_order_in_time(
    machine: DockerMachine, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "ANSWER_SECONDS", 3.0)
    image = registry.add("own/trickle", busybox(), HERE["architecture"])

    async def trickle(request: web.Request) -> web.StreamResponse:
        data = registry.blobs[request.path.rpartition("/")[2]]
        answer = web.StreamResponse(headers={"Content-Length": str(len(data))})
        await answer.prepare(request)
        while data:
            size = 2_000  # the image's configuration comes whole, and some of the layer at once
            await answer.write(data[:size])
            data = data[size:]
            await asyncio.sleep(0.1)
        return answer

    registry.answers["own/trickle", "blobs"] = trickle
    with pytest.raises(OrderRefused, match="does not answer in time"):
        async with asyncio.timeout(PATIENCE):
            await machine.provision(Pubkey.new_unique(), order(image))


def tar(*entries: tarfile.TarInfo) -> bytes:
    """A tar archive of these entries."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for each in entries:
            archive.addfile(each)
    return target.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, **parts: Any) -> tarfile.TarInfo:
    """An entry without data."""
    made = tarfile.TarInfo(name)
    made.type = kind
    for part, value in parts.items():
        setattr(made, part, value)
    return made


def fresh() -> bytes:
    """The files of a layer that no engine has yet."""
    return files(own=os.urandom(16))


def config_of(*layers: bytes, **parts: object) -> bytes:
    """An image's configuration for these unpacked layers."""
    digests = [f"sha256:{sha256(each).hexdigest()}" for each in layers]
    given = {**HERE, "config": {"Cmd": ["/bin/sh"]}, "rootfs": {"type": "layers", "diff_ids": digests}, **parts}
    return json.dumps(given).encode()


def many(registry: Registry) -> None:
    """More layers than an engine stacks."""
    layers = [tar(entry(f"layer-{number}")) for number in range(TOO_MANY_LAYERS)]
    parts = [registry.part(LAYER, gzip.compress(each, 1, mtime=0)) for each in layers]
    registry.offer("own/bad", registry.part(CONFIG, config_of(*layers)), parts)


def packed(name: str, unpacked: bytes, data: bytes | None = None, kind: str = LAYER) -> Callable[[Registry], None]:
    """An image of one layer, whose bytes are `data`."""

    def offer(registry: Registry) -> None:
        given = gzip.compress(unpacked, 1, mtime=0) if data is None else data
        registry.offer("own/bad", registry.part(CONFIG, config_of(unpacked)), [registry.part(kind, given)])

    offer.__name__ = name
    return offer


def configured(name: str, config: bytes, kind: str = CONFIG) -> Callable[[Registry], None]:
    """An image with a good layer and this configuration."""

    def offer(registry: Registry) -> None:
        layer = registry.part(LAYER, gzip.compress(busybox(), 1, mtime=0))
        registry.offer("own/bad", registry.part(kind, config), [layer])

    offer.__name__ = name
    return offer


def without(name: str, place: str) -> Callable[[Registry], None]:
    """An image whose configuration or layer is gone."""

    def offer(registry: Registry) -> None:
        unpacked = fresh()
        layer = registry.part(LAYER, gzip.compress(unpacked, 1, mtime=0))
        config = registry.part(CONFIG, config_of(unpacked))
        registry.offer("own/bad", config, [layer])
        gone = str((config if place == "config" else layer)["digest"])

        async def answer(request: web.Request) -> web.StreamResponse:
            digest = request.path.rpartition("/")[2]
            return web.Response(status=404) if digest == gone else web.Response(body=registry.blobs[digest])

        registry.answers["own/bad", "blobs"] = answer

    offer.__name__ = name
    return offer


def other_bytes(registry: Registry) -> None:
    """A layer that is not what its digest says."""
    registry.add("own/bad", fresh(), HERE["architecture"])
    layers = [digest for digest, data in registry.blobs.items() if data[:2] == b"\x1f\x8b"]
    registry.blobs[layers[-1]] = gzip.compress(b"something else", mtime=0)


def no_platform(registry: Registry) -> None:
    """A list of no manifest."""
    registry.put(
        "own/bad", MANIFESTS, json.dumps({"schemaVersion": 2, "mediaType": MANIFESTS, "manifests": []}).encode()
    )


def layers() -> Iterator[Callable[[Registry], None]]:
    """Images with parts that no engine can use."""
    unpacked = fresh()
    whole = gzip.compress(unpacked, 1, mtime=0)
    yield packed("no_gzip", fresh(), os.urandom(5_000))
    yield packed("broken_gzip", unpacked, whole[: len(whole) // 2])
    yield packed("no_tar", b"not a tar archive" * 100)
    yield packed("climbs_out", tar(entry("../../../escaped")))
    yield packed("links_out", tar(entry("a", tarfile.LNKTYPE, linkname="../../../../etc/passwd")))
    yield packed("name_too_long", tar(entry("n" * 300)))
    yield packed("link_to_nothing", tar(entry("a", tarfile.LNKTYPE, linkname="missing")))
    yield configured("no_json", b"not JSON")
    yield configured("empty_json", b"{}")
    yield configured("other_layers", config_of(b"other"))
    yield configured("other_system", config_of(busybox(), os="windows"))
    yield packed("link_in_the_words_of_a_limit", tar(entry("toomanyrequests", tarfile.LNKTYPE, linkname="missing")))
    yield packed("kind_in_the_words_of_a_limit", fresh(), kind="application/toomanyrequests")
    yield configured("nothing", b"")
    yield configured("half_a_json", b"{")
    yield configured("no_image", b"{}", "application/vnd.cncf.helm.config.v1+json")
    yield configured("no_image_in_the_words_of_a_timeout", b"{}", "application/client.timeout")
    yield without("config_gone", "config")
    yield without("layer_gone", "layer")
    yield from (many, other_bytes, no_platform)


TELLING: Final = ("no_gzip", "climbs_out", "no_json", "config_gone", "many", "other_bytes")
"""One part of each kind: with the others a registry that the host vouches for is tried at night."""


def vouched(offer: Callable[[Registry], None]) -> Any:
    """A case of the test below."""
    is_daily = offer.__name__ in TELLING or "_in_the_words_of_" in offer.__name__
    return pytest.param(offer, marks=() if is_daily else pytest.mark.nightly, id=offer.__name__)


@pytest.mark.parametrize("offer", [vouched(offer) for offer in layers()])
async def test_registry_that_the_host_vouches_for__gives_parts_that_cannot_be_used__is_the_orders_fault(
    engine: OwnEngine, registry: Registry, offer: Callable[[Registry], None], tmp_path: Path
) -> None:
    """Anyone may put an image at Docker Hub."""
    offer(registry)
    settings = settings_here(images=ImageRules(registries=(registry.place,)))
    async with machine_on(engine, settings, tmp_path) as machine:
        with pytest.raises(OrderRefused):
            await machine.provision(Pubkey.new_unique(), order(f"{registry.place}/own/bad:1"))


SOON = [offer for offer in layers() if offer is not many]
"""Without the one that an engine takes longest to refuse, which it does whatever the registry."""


@pytest.mark.parametrize("offer", SOON, ids=lambda offer: offer.__name__)
async def test_registry__gives_parts_that_cannot_be_used__is_the_orders_fault(
    machine: DockerMachine, registry: Registry, offer: Callable[[Registry], None]
) -> None:
    offer(registry)
    with pytest.raises(OrderRefused):
        await machine.provision(Pubkey.new_unique(), order(f"{registry.place}/own/bad:1"))


async def test_tenant__has_removed_their_shell__keeps_their_rental_and_the_machine_works(
    engine: OwnEngine, tmp_path: Path
) -> None:
    rental, settings = Pubkey.new_unique(), settings_here()
    name = name_of(settings.listing, TENANT)
    async with machine_on(engine, settings, tmp_path) as machine:
        await machine.provision(rental, order(IMAGE))
        engine.run_in(name, "rm", "/bin/sh")
        engine.docker("kill", name)
        assert await machine.holds(rental)
        assert name in engine.names("ps", "--all") - engine.names("ps")
        await machine.close()


async def test_machine__device_is_gone__is_the_hosts_fault(engine: OwnEngine, tmp_path: Path) -> None:
    async with machine_on(engine, settings_here(devices=("/dev/no-such-gpu",)), tmp_path) as machine:
        with pytest.raises(MachineFault, match="no-such-gpu"):
            await machine.provision(Pubkey.new_unique(), order(IMAGE))


@pytest.mark.parametrize("env", ["NVIDIA_REQUIRE_CUDA=cuda>=12.6", "NVIDIA_DRIVER_CAPABILITIES=compute,bogus"])
async def test_image__demands_another_driver_and_is_not_cached__is_refused_once_it_has_come_and_before_its_start(
    engine: OwnEngine, registry: Registry, tmp_path: Path, env: str
) -> None:
    image = registry.add("own/newer", busybox(), "amd64", env=[env])
    settings = settings_here(gpus=("all",), cuda=1204)
    async with machine_on(engine, settings, tmp_path) as machine:
        wanted = order(image)
        await machine.examine(wanted)
        with pytest.raises(OrderRefused, match=env.partition("=")[0]):
            await machine.provision(Pubkey.new_unique(), wanted)
        assert image in engine.docker("images", "--format", "{{.Repository}}:{{.Tag}}").split()
        assert name_of(settings.listing, TENANT) not in engine.names("ps", "--all")
