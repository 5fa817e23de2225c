"""The Docker engine of a machine, with one listing's containers, networks and volumes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aiodocker import Docker, DockerError
from aiodocker.containers import DockerContainer
from aiodocker.jsonstream import json_stream_stream
from aiohttp import ClientTimeout
from solders.pubkey import Pubkey

from anchor_client.orders import Workload
from anchor_client.service.backoff import Backoff
from host_agent.docker.container import LISTING, RENTAL, ROLE, TENANT, name_of
from host_agent.docker.disk_use import DiskUse, LowestFree
from host_agent.docker.failures import NOT_THERE, UNREACHABLE, already_gone, engine_errors
from host_agent.docker.fetch_guard import FetchGuard
from host_agent.docker.fetch_turns import EngineGrown, FetchTurns
from host_agent.docker.isolation import Isolation, mounts_here
from host_agent.docker.volumes import Volumes
from host_agent.errors import MachineFault, OrderRefused
from host_agent.images.rules import Download, ImageRules, is_unanswered
from host_agent.settings.machine import MachineCapacity

CONTAINERD_DRIVER: Final = "io.containerd.snapshotter"
CONTAINERD_ROOT: Final = Path("/var/lib/containerd")
"""Folder of containerd's images and containers' layers, for an engine that leaves them to it."""
REFUSALS: Final = (400, 403, 404)
"""Statuses that mean a refusal of an image, instead of a failure."""
IMPORT_FAILED: Final = 500
IN_USE: Final = 409
ANY_IMAGE: Final = ImageRules(attempts=1)
TRY_AGAIN: Final = Backoff(first=2.0, most=30.0)
"""Wait before retrying an unresponsive registry."""
ANSWER_SECONDS: Final = 60.0
"""Time for a registry to give the first bytes of an image, all attempts together, and LEAST_BYTES or a layer each
time after that.
"""


@dataclass(frozen=True, slots=True)
class Running:
    """A container, as reported by the engine."""

    id: str
    listing: str
    role: str
    labels: Mapping[str, str]
    image: str
    state: str
    """Docker's word: running, exited, restarting, created."""
    status: str
    """The status as text, with its duration."""

    @property
    def has_stopped(self) -> bool:
        """True if nothing runs in it, and the engine will not restart it."""
        return self.state in ("created", "exited", "dead")


class Engine:
    """A Docker engine. Every method raises MachineFault if it cannot be reached or fails."""

    def __init__(self, docker: Docker, url: str | None = None) -> None:
        self._docker = docker
        self.url = url
        """None for the default of Docker's command line."""
        self.disk = DiskUse(docker)
        """Disk use of its containers."""
        self._turns = FetchTurns()

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str | None = None) -> AsyncIterator[Engine]:
        """An engine while the context lasts; without `url` the default of Docker's command line."""
        try:
            docker = Docker(url)
        except (ValueError, AssertionError, DockerError) as error:  # it asserts that it finds a socket
            raise MachineFault(
                f"There is no Docker engine: {str(error) or 'no socket'}",
                "Install one, or set its socket with --engine or DOCKER_HOST.",
            ) from error
        async with docker:
            yield cls(docker, url)

    async def knows_gpus(self) -> bool:
        """True if containers can get GPUs: by NVIDIA's runtime, or by a device interface (CDI) that lists some."""
        with engine_errors():
            info = await self._docker.system.info()
        return "nvidia" in (info.get("Runtimes") or {}) or any(
            "gpu" in str(device.get("ID", "")) for device in info.get("DiscoveredDevices") or []
        )

    async def capacity(self) -> MachineCapacity:
        """CPUs and memory of the engine's machine, and whether the engine can limit a container's own layer."""
        with engine_errors():
            info = await self._docker.system.info()
        return MachineCapacity(
            int(info["NCPU"]), int(info["MemTotal"]), bool(Isolation.of(info, mounts_here()).limits_disk)
        )

    async def isolation(self) -> Isolation:
        """The engine's isolation and limits of containers."""
        with engine_errors():
            info = await self._docker.system.info()
        return Isolation.of(info, mounts_here())

    async def data_root(self) -> Path:
        """Directory in which the engine keeps containers and images, on its machine."""
        with engine_errors():
            info = await self._docker.system.info()
        return Path(info["DockerRootDir"])

    async def id(self) -> str:
        """The name that the engine has given itself, which no other has."""
        with engine_errors():
            info = await self._docker.system.info()
        return str(info["ID"])

    async def disk_roots(self) -> Sequence[Path]:
        """Directories with the data of containers, volumes and images: containerd keeps images outside the engine's."""
        with engine_errors():
            info = await self._docker.system.info()
        by_containerd = str(dict(info.get("DriverStatus") or ()).get("driver-type", "")).startswith(CONTAINERD_DRIVER)
        return [Path(info["DockerRootDir"]), *([CONTAINERD_ROOT] if by_containerd else ())]

    async def containers(self, listing: Pubkey | None = None) -> list[Running]:
        """Every container of a listing, running or not; without a listing, of all."""
        with engine_errors():
            found = await self._docker.containers.list(all="1", filters=json.dumps(_labelled(listing)))
        return [_running(container) for container in found]

    async def container(self, listing: Pubkey, role: str) -> Running | None:
        """A listing's container of a role."""
        return next((found for found in await self.containers(listing) if found.role == role), None)

    @property
    def volumes(self) -> Volumes:
        """Its volumes, and containers' files."""
        return Volumes(self._docker)

    async def run(
        self,
        listing: Pubkey,
        role: str,
        config: Mapping[str, Any],
        before: Callable[[str], Awaitable[None]] | None = None,
        latest: float | None = None,
    ) -> None:
        """Creates and starts the listing's container of a role. Unproven if the engine does not, or not by `latest` of
        the loop's time.

        `before` is awaited with its id before it starts.
        """
        with engine_errors(unproven=True):
            async with asyncio.timeout_at(latest):
                container = await self._docker.containers.create(dict(config), name=name_of(listing, role))
        if before is not None:
            await before(container.id)
        with engine_errors(unproven=True):
            async with asyncio.timeout_at(latest):
                await container.start()

    async def start(self, container: Running) -> None:
        """Restarts a stopped container. Unproven if the engine does not."""
        with engine_errors(unproven=True):
            await self._docker.containers.container(container.id).start()

    async def config(self, container: Running) -> Mapping[str, Any]:
        """The devices, mounts, ports and network that a container was created with."""
        with engine_errors():
            shown = await self._docker.containers.container(container.id).show()
        return {"HostConfig": shown["HostConfig"], "ExposedPorts": shown["Config"].get("ExposedPorts")}

    async def stop(self, container: Running) -> None:
        """Stops a container immediately, and keeps it: the engine will not restart it."""
        with engine_errors(), already_gone():
            # Left out, Docker waits ten seconds before it kills.
            await self._docker.containers.container(container.id).stop(t=0)

    async def exit_code(self, container: Running) -> int:
        """Exit code of a stopped container, 0 to 255."""
        with engine_errors():
            shown = await self._docker.containers.container(container.id).show()
        return int(shown["State"]["ExitCode"]) % 256

    async def sent_bytes(self, container: Running) -> int:
        """Bytes sent by a container since its last start; zero once it has stopped."""
        if container.has_stopped:  # for which some engines answer nothing
            return 0
        with engine_errors():
            [stats] = await self._docker.containers.container(container.id).stats(stream=False)
        return sum(int(network["tx_bytes"]) for network in (stats.get("networks") or {}).values())

    async def remove(self, container: Running, *, grace: int = 0) -> None:
        """Ends a container after at most `grace` seconds, and deletes it with its volumes."""
        found = self._docker.containers.container(container.id)
        with engine_errors(), already_gone():
            if grace and not container.has_stopped:
                await found.stop(t=grace)
            # With v go the anonymous volumes that an image declares, which hold files of the tenant's too.
            await found.delete(force=True, v=True)

    async def network(self, listing: Pubkey, role: str) -> Mapping[str, str] | None:
        """The labels of a listing's network; None without one."""
        with engine_errors():
            for network in await self._docker.networks.list(filters=_labelled(listing)):
                if network["Labels"].get(ROLE) == role:
                    labels: Mapping[str, str] = network["Labels"]
                    return labels
        return None

    async def held(self) -> Mapping[Pubkey, Pubkey]:
        """Listings with a tenant on this machine, or what is left of one, and its rental."""
        with engine_errors():
            networks = await self._docker.networks.list(filters=_labelled(None))
        labels = [network["Labels"] for network in networks]
        tenants = [each for each in labels if each.get(ROLE) == TENANT]
        return {Pubkey.from_string(each[LISTING]): Pubkey.from_string(each[RENTAL]) for each in tenants}

    async def create_network(self, config: Mapping[str, Any]) -> None:
        """Makes a network."""
        with engine_errors():
            await self._docker.networks.create(dict(config))

    async def remove_network(self, listing: Pubkey, role: str) -> None:
        """Deletes a listing's network."""
        with engine_errors(), already_gone():
            await (await self._docker.networks.get(name_of(listing, role))).delete()

    async def has_image(self, image: str) -> bool:
        """True if an image is in the engine's cache."""
        with engine_errors():
            try:
                await self._docker.images.inspect(image)
            except DockerError as error:
                if error.status != NOT_THERE:
                    raise
                return False
        return True

    async def architecture(self) -> str:
        """The machine's, as images name it."""
        with engine_errors():
            return str((await self._docker.version())["Arch"])

    async def image_env(self, image: str) -> dict[str, str]:
        """The environment that a cached image sets."""
        with engine_errors():
            found = await self._docker.images.inspect(image)
        pairs = (each.partition("=") for each in (found.get("Config") or {}).get("Env") or ())
        return {name: value for name, _, value in pairs}

    async def import_image(self, files: bytes) -> str:
        """Makes an image of one layer from a tar archive; returns its id. Unproven."""
        with engine_errors(unproven=True):
            async with self._docker._query(
                "images/create",
                "POST",
                params={"fromSrc": "-"},
                data=files,
                headers={"Content-Type": "application/x-tar"},
            ) as response:
                told = [each async for each in json_stream_stream(response)]
            if not told or "status" not in told[-1]:
                raise DockerError(IMPORT_FAILED, f"the image was not imported: {told}")
        return str(told[-1]["status"])

    async def pull(self, parts: Workload, rules: ImageRules = ANY_IMAGE) -> None:
        """Fetches an order's image; a cached one is used if its registry fails. OrderRefused, and Unproven for an image
        that cannot be unpacked. An unresponsive registry is retried unless the image is cached.
        """
        await self._turns.fetch(parts.image, rules, lambda rules: self._pull(parts, rules))
        await self._require_fit(parts.image, rules)

    async def _pull(self, parts: Workload, rules: ImageRules) -> None:
        guard = FetchGuard()
        try:
            async with (
                asyncio.timeout(rules.timeout_seconds),
                asyncio.timeout(ANSWER_SECONDS) as until_answer,
                guard.watching(),
            ):
                await self._fetch(parts.image, rules, until_answer)
        except TimeoutError:
            if not await self.has_image(parts.image):
                if guard.has_grown:
                    raise EngineGrown from None
                late = rules.unanswered if until_answer.expired() else rules.too_slow
                raise late(parts.image) from None
        except (MachineFault, OrderRefused):
            if not await self.has_image(parts.image):
                raise

    async def _fetch(self, image: str, rules: ImageRules, until_answer: asyncio.Timeout) -> None:
        attempts = 1 if await self.has_image(image) else rules.attempts
        roots = await self.disk_roots()
        disk = LowestFree(roots)
        for attempt in range(1, attempts + 1):
            with engine_errors():
                try:
                    await self._ask_registry(image, rules, disk, until_answer)
                except DockerError as error:
                    if error.status == UNREACHABLE:
                        raise
                    if attempt == attempts or not is_unanswered(error.message):
                        full = rules.vouches_for(image) if disk.is_full is None else disk.is_full
                        refused = error.status in REFUSALS
                        room = rules.max_bytes is not None and disk.had_room(rules.max_bytes)
                        raise rules.blame(
                            image, error.message, is_refusal=refused, is_full=full, had_room=room
                        ) from error
                else:
                    return
            await asyncio.sleep(TRY_AGAIN.spread(attempt))

    async def _ask_registry(
        self, image: str, rules: ImageRules, disk: LowestFree, until_answer: asyncio.Timeout
    ) -> None:
        """Lets the engine fetch an image, and aborts once it is too large. A layer's unpacked size shows only on the
        disk, and may be a thousand times its download.
        """
        download = Download()
        before = disk.free()
        async with aclosing(self._progress(image)) as progress:
            async for told in progress:
                announced = download.take(told)
                free = disk.free()
                if download.has_moved(told):
                    later = asyncio.get_running_loop().time() + ANSWER_SECONDS
                    until_answer.reschedule(None if download.is_at_work else later)
                unpacked = 0 if before is None or free is None else before - free - announced
                rules.require_small(image, max(announced, unpacked))

    async def _progress(self, image: str) -> AsyncGenerator[dict[str, Any], None]:
        """The engine's messages while it fetches an image; closing this stops the fetch, unlike the library's own."""
        has_tag = "@" in image or ":" in image.rpartition("/")[2]
        params = {"fromImage": image} | ({} if has_tag else {"tag": "latest"})
        # By default aiohttp ends a request after five minutes, in which a large image does not come.
        async with self._docker._query("images/create", "POST", params=params, timeout=ClientTimeout()) as response:
            try:
                async for told in json_stream_stream(response):
                    yield told
            finally:
                response.close()

    async def _require_fit(self, image: str, rules: ImageRules) -> None:
        """OrderRefused for an image that is too large, has too many settings, or is for another machine."""
        with engine_errors():
            found = await self._docker.images.inspect(image)
            machine = await self._docker.version()
        rules.require_plain(image, found)
        # Each volume begins as a copy of what the image has there, and one may be within another.
        volumes = (found.get("Config") or {}).get("Volumes") or ()
        rules.require_small(image, int(found["Size"]) * (1 + len(volumes)))
        if found["Architecture"]:
            built_for = f"{found['Os']}/{found['Architecture']}"
            rules.require_platform(image, built_for, f"{machine['Os']}/{machine['Arch']}")

    async def remove_image(self, image: str) -> None:
        """Removes an image from the cache, unless another container needs it."""
        with engine_errors():
            try:
                await self._docker.images.delete(image)
            except DockerError as error:
                if error.status not in (NOT_THERE, IN_USE):
                    raise

    def handle(self, container: Running) -> DockerContainer:
        """The library's own handle, to run commands in the container."""
        return self._docker.containers.container(container.id)


def _labelled(listing: Pubkey | None) -> dict[str, list[str]]:
    return {"label": [LISTING if listing is None else f"{LISTING}={listing}"]}


def _running(container: DockerContainer) -> Running:
    labels = container["Labels"]
    return Running(
        id=container["Id"],
        listing=labels[LISTING],
        role=labels.get(ROLE, ""),
        labels=labels,
        image=container["Image"],
        state=container["State"],
        status=container["Status"],
    )
