"""Configurations of containers for orders and background jobs, in terms of the Docker engine's API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Literal

from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument, PortForward, Workload
from host_agent.settings.machine import ALL_GPUS, MachineSettings

JUPYTER_PORT: Final = 8888
LISTING: Final = "gpu-market.listing"
ROLE: Final = "gpu-market.role"
RENTAL: Final = "gpu-market.rental"
SSH_KEY: Final = "gpu-market.ssh-key"
FOREIGN_IMAGE: Final = "gpu-market.foreign-image"
"""Set if the image was pulled for the tenant; it is removed with the tenant."""
UNTIL_EXIT: Final = "gpu-market.until-exit"
"""Set if the command is not restarted after its end."""
CHECKPOINT: Final = "gpu-market.checkpoint"
"""Set to the order's checkpoint command."""
HTTPS: Final = "gpu-market.https"
"""The container's HTTP ports with the machine's for each, as JSON."""
CONFIGURED: Final = "gpu-market.configured"
"""SHA-256 of a background job's configuration."""
NETWORK_DRIVER: Final = "bridge"
TENANT: Final = "tenant"
BACKGROUND: Final = "background"
CONTROL: Final = "control"
HOSTNAME_CHARACTERS: Final = 12
THEN_STAY: Final = ("/bin/sh", "-c", '/bin/sh -c "$0"; while :; do sleep 3600 & wait; done')
"""Runs an order's command and stays, so that its results can be fetched until the rental ends; reaps orphans meanwhile.

The engine's own init would reap them too, but would hide a missing shell from the engine.
"""
LOG_OPTIONS: Final[Mapping[str, str]] = {"max-size": "10m", "max-file": "3"}
VISIBLE: Final = "NVIDIA_VISIBLE_DEVICES"
WITHHELD: Final = {f"NVIDIA_{name}": "disabled" for name in ("GDRCOPY", "GDS", "MOFED", "NVSWITCH")}
"""Further devices of the machine that NVIDIA's runtime, as the engine's default, passes to containers whose environment
asks for them."""
DROPPED: Final = ("MKNOD", "NET_RAW")
"""Capabilities that no workload needs, and that allow access to devices and network neighbours."""
CPU_SHARES: Final = 256
"""Weight of a container for processor time that others want too; the host's own services have 1024."""
OOM_SCORE: Final = 500
"""A machine without memory ends containers before its own services, whose score is 0 or less."""
CORE_BYTES: Final = 1
"""Limit of a core dump. The kernel writes none below a page, and gives none to a host's program at exactly one byte."""
CONFINED: Final = ("no-new-privileges",)
"""Set-user-ID programs, such as sudo, grant no additional rights. Seccomp stays the engine's default."""


def ports_of(settings: MachineSettings, order: Workload, protocol: Literal["tcp", "http"]) -> dict[int, int]:
    """An order's container ports for a protocol, each with the machine's port: those it names, and Jupyter's over HTTP
    if it has a token. InvalidOrder.
    """
    forwards = list(order.ports)
    if order.jupyter_token is not None and JUPYTER_PORT not in [forward.port for forward in forwards]:
        forwards.append(PortForward(port=JUPYTER_PORT, protocol="http"))
    public = settings.published([forward.port for forward in forwards])
    return {forward.port: public[forward.port] for forward in forwards if forward.protocol == protocol}


def https_ports(labels: Mapping[str, str]) -> dict[int, int]:
    """The HTTP ports of a tenant's container, by its labels."""
    return {int(port): public for port, public in json.loads(labels.get(HTTPS, "{}")).items()}


def tenant_network(settings: MachineSettings, rental: Pubkey, order: OrderDocument, *, foreign: bool) -> dict[str, Any]:
    """An order's own network: created first in a tenancy and removed last."""
    labels = {LISTING: str(settings.listing), ROLE: TENANT, RENTAL: str(rental)}
    if order.ssh_key is not None:
        labels[SSH_KEY] = order.ssh_key
    if foreign:
        labels[FOREIGN_IMAGE] = order.image
    return {
        "Name": name_of(settings.listing, TENANT),
        "Driver": NETWORK_DRIVER,
        # Engines before API 1.44 make a second network of the same name without it.
        "CheckDuplicate": True,
        "Labels": labels,
        # The firewall's rules know tenants' bridges by how their names begin.
        "Options": {"com.docker.network.bridge.name": settings.egress.bridge_of(settings.listing)},
    }


def tenant_container(
    settings: MachineSettings,
    rental: Pubkey,
    order: OrderDocument,
    mounts: Sequence[Mapping[str, Any]] = (),
    *,
    until_exit: bool = False,
) -> dict[str, Any]:
    """An order's container; with `until_exit` it stops with the order's command, and stays stopped. Only the agent
    restarts it: the engine would do so after a reboot too, when its deadline may be unguarded. The engine publishes its
    TCP ports. The agent serves its HTTP ports through the container's own network.
    """
    forwards = ports_of(settings, order, "tcp")
    https = json.dumps(ports_of(settings, order, "http"))
    labels = {ROLE: TENANT, RENTAL: str(rental), HTTPS: https}
    shell: Sequence[str] = THEN_STAY
    if until_exit:
        labels[UNTIL_EXIT] = "yes"
        shell = ("/bin/sh", "-c")
    if order.checkpoint is not None:
        labels[CHECKPOINT] = order.checkpoint
    return {
        **_container(settings, order, labels, shell),
        "Hostname": str(rental)[:HOSTNAME_CHARACTERS].lower(),
        # The shell that many images start with ends at once without an input.
        "OpenStdin": True,
        "Tty": True,
        "ExposedPorts": {f"{port}/tcp": {} for port in forwards},
        # An image's own may run a thousand times a second, by processes of the engine that no limit binds.
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": {
            **_host(settings),
            **({} if settings.runtime is None else {"Runtime": settings.runtime}),
            "RestartPolicy": {"Name": "no"},
            "NetworkMode": name_of(settings.listing, TENANT),
            "Mounts": list(mounts),
            "PortBindings": {
                f"{port}/tcp": [{"HostIp": settings.bind, "HostPort": str(public)}] for port, public in forwards.items()
            },
        },
    }


def background_container(settings: MachineSettings, job: Workload) -> dict[str, Any]:
    """The container of the background job, which runs while the machine is not rented."""
    host = {**_host(settings), "Init": True}
    config = {**_container(settings, job, {ROLE: BACKGROUND}, ("/bin/sh", "-c")), "HostConfig": host}
    # Last: it is the digest of all the rest, from which `idle` knows whether to restart the job.
    config["Labels"][CONFIGURED] = sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()
    return config


def name_of(listing: Pubkey, role: str) -> str:
    """The name of a listing's container or network; names are unique in the engine, so each role exists once per
    machine.
    """
    return f"gpu-market-{role}-{listing}"


def _container(
    settings: MachineSettings, parts: Workload, labels: Mapping[str, str], shell: Sequence[str]
) -> dict[str, Any]:
    env = dict(parts.env)
    if parts.jupyter_token is not None:
        env.setdefault("JUPYTER_TOKEN", parts.jupyter_token)
    env |= WITHHELD | ({} if settings.gpus else {VISIBLE: "void"})
    return {
        "Image": parts.image,
        **({} if parts.command is None else {"Entrypoint": list(shell), "Cmd": [parts.command]}),
        "Env": [f"{name}={value}" for name, value in env.items()],
        "Labels": {LISTING: str(settings.listing), **labels},
    }


def _host(settings: MachineSettings) -> dict[str, Any]:
    limits = settings.limits
    return {
        "RestartPolicy": {"Name": "unless-stopped"},
        "DeviceRequests": _gpus(settings),
        "Devices": [
            {"PathOnHost": path, "PathInContainer": path, "CgroupPermissions": "rwm"} for path in settings.devices
        ],
        "Memory": limits.memory_bytes or 0,
        # The same as Memory, which is none: left out, Docker allows as much swap as memory.
        "MemorySwap": limits.memory_bytes or 0,
        # Docker's default is 64 MB, and data loaders of PyTorch pass their batches through it.
        "ShmSize": limits.shared_memory_bytes,
        "NanoCpus": round((limits.cpus or 0) * 10**9),
        "PidsLimit": limits.processes,
        "CpuShares": CPU_SHARES,
        "OomScoreAdj": OOM_SCORE,
        # The kernel writes a dump as the host's settings say, which may be outside of the tenant's disk.
        "Ulimits": [{"Name": "core", "Soft": CORE_BYTES, "Hard": CORE_BYTES}],
        # An engine without quotas refuses the option, and with it the container.
        "StorageOpt": {"size": str(limits.disk_bytes)} if limits.has_disk_quota and limits.disk_bytes else {},
        "CapDrop": list(DROPPED),
        "SecurityOpt": list(CONFINED),
        "LogConfig": {"Type": "json-file", "Config": dict(LOG_OPTIONS)},
    }


def _gpus(settings: MachineSettings) -> list[dict[str, Any]]:
    if not settings.gpus:
        return []
    which: dict[str, Any] = {"DeviceIDs": list(settings.gpus)}
    if tuple(settings.gpus) == ALL_GPUS:
        # Docker's word for all.
        which = {"Count": -1}
    return [{**which, "Capabilities": [["gpu"]]}]
