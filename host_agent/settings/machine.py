"""A machine's settings, and the limits of its orders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_address
from typing import Any, Final, Self

from solders.pubkey import Pubkey

from anchor_client.connection import MAX_ABUSE_CONTACT
from anchor_client.errors import InvalidOrder
from anchor_client.generated.accounts import Listing
from anchor_client.orders import MAX_PORTS, Workload
from anchor_client.solana.wallet import parse_address
from host_agent.disk.file_systems import DiskImages
from host_agent.errors import HostConfigurationError
from host_agent.images.rules import GB, ImageRules
from host_agent.network.egress import Egress

PORTS_PER_MACHINE: Final = MAX_PORTS + 3
"""One port for SSH, one for each port of an order, one for Jupyter, and one for the browser terminal."""
ALL_GPUS: Final = ("all",)
LAST_PORT: Final = 65_535
MOST_TOLD_BYTES: Final = 212
"""Maximum bytes of the address and the abuse contact: a connection with every port has no space for more."""
GIBIBYTE: Final = 2**30
HOST_MEMORY: Final = GIBIBYTE
HOST_SHARE: Final = 16
"""A sixteenth of the memory, at most HOST_MEMORY, is the host's and its agent's."""


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """Limits of a container; None for no limit. An agent replaces None by the listed values."""

    memory_bytes: int | None = None
    shared_memory_bytes: int = 8 * GIBIBYTE
    """Size of /dev/shm, which data loaders use to pass tensors; used space counts as memory."""
    cpus: float | None = None
    disk_bytes: int | None = None
    """Disk limit of the container's own layer and its volumes. Parts without a quota are measured."""
    has_disk_quota: bool = False
    """True if the engine's storage driver limits the container's own layer."""
    processes: int = 32_768
    workspace_bytes: int | None = None
    """Size of a tenant's /workspace."""

    def within(self, listed: Listing, machine: MachineCapacity) -> Self:
        """The same limits, with the listed values where there is none, and at most the machine's."""
        return replace(
            self,
            memory_bytes=self.memory_bytes or min(listed.ram_gb * GIBIBYTE, machine.memory_bytes),
            cpus=self.cpus or min(listed.cpu_cores, machine.cpus),
            disk_bytes=self.disk_bytes or listed.disk_gb * GB,
            has_disk_quota=machine.limits_disk,
            workspace_bytes=self.workspace_bytes or listed.disk_gb * GB,
        )


@dataclass(frozen=True, slots=True)
class MachineCapacity:
    """CPUs and memory of a machine."""

    cpus: int
    memory_bytes: int
    limits_disk: bool = False
    """True if the engine can limit a container's own layer."""

    def part_of(self, ram_gb: int, listed_gb: int) -> Self:
        """Limits of orders of a listing with `ram_gb`, where `listed_gb` can be rented at the same time: together
        they leave the host its reserve of memory.
        """
        rest = self.memory_bytes - min(HOST_MEMORY, self.memory_bytes // HOST_SHARE)
        most = rest * ram_gb // listed_gb if listed_gb * GIBIBYTE > rest else rest
        return replace(self, memory_bytes=most)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostingSettings:
    """Settings of renters' access to a machine, and of their orders' resources."""

    address: str
    """Name or IP address through which renters reach the machine."""
    first_port: int = 20_000
    """The first of a listing's PORTS_PER_MACHINE ports."""
    bind: str = "0.0.0.0"
    gpus: Sequence[str] = ALL_GPUS
    """`all`, or indices or UUIDs of the GPUs that are a listing's; none for a machine without."""
    devices: Sequence[str] = ()
    """Further paths under /dev to pass through, for GPUs that need no vendor runtime."""
    background: Workload | None = None
    """Job that runs while the machine is not rented."""
    wipe_command: Sequence[str] = ()
    """Command that runs on the machine after each tenant; the machine cannot be rented again until it succeeds."""
    keep_images: bool = False
    """Keep tenants' images in the engine's cache."""
    limits: ContainerLimits = field(default_factory=ContainerLimits)
    egress: Egress = field(default_factory=Egress)
    images: ImageRules = field(default_factory=ImageRules)
    runtime: str | None = None
    """The engine's runtime for orders; None for its default."""
    abuse_contact: str | None = None
    """Contact for renters' abuse reports; part of the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSettings(HostingSettings):
    """A machine behind one listing."""

    listing: Pubkey
    keep_days: int = 0
    """Listed days for which its tenants' workspaces are kept; zero keeps none."""
    cuda: int = 0
    """Listed CUDA version, 1208 for 12.8; zero if unknown."""
    disks: DiskImages | None = None
    """Images for its tenants' workspaces; None where they cannot be mounted, or quotas limit volumes."""
    listings: int = 1
    """Listings on this machine, which divide the connections of strangers among them."""

    @classmethod
    def of(cls, settings: HostingSettings, listing: Pubkey, **own: Any) -> Self:
        """The machine of a listing: as the agent's settings say, but for its `own`."""
        shared = {each.name: getattr(settings, each.name) for each in fields(HostingSettings)}
        return cls(**shared | own, listing=listing)

    def __post_init__(self) -> None:
        if not 1 <= self.first_port <= LAST_PORT - PORTS_PER_MACHINE + 1:
            raise HostConfigurationError(
                f"A machine takes {PORTS_PER_MACHINE} ports, and there are not as many from {self.first_port}"
            )
        if self.abuse_contact is not None and not 0 < len(self.abuse_contact) <= MAX_ABUSE_CONTACT:
            raise HostConfigurationError(
                f"A contact for abuse has 1 to {MAX_ABUSE_CONTACT} characters", "Shorten --abuse-contact."
            )
        told = self.address + json.dumps(self.abuse_contact or "", ensure_ascii=False)[1:-1]
        if len(told.encode()) > MOST_TOLD_BYTES:
            raise HostConfigurationError(
                f"The address and the contact for abuse have more than {MOST_TOLD_BYTES} bytes together",
                "Shorten one of --address and --abuse-contact.",
            )
        try:
            ip_address(self.bind)
        except ValueError:
            raise HostConfigurationError(f"{self.bind!r} is not an IP address to listen on") from None

    @property
    def ssh_port(self) -> int:
        """Port of the tenant's shell."""
        return self.first_port

    @property
    def terminal_port(self) -> int:
        """Port of the terminal for browsers."""
        return self.first_port + PORTS_PER_MACHINE - 1

    def published(self, ports: Sequence[int]) -> dict[int, int]:
        """The machine's port for each port of the container. InvalidOrder for too many."""
        free = range(self.ssh_port + 1, self.terminal_port)
        if len(ports) > len(free):
            raise InvalidOrder(f"The order names {len(ports)} ports; a machine has {len(free)} for it")
        return dict(zip(ports, free, strict=False))


@dataclass(frozen=True, slots=True)
class Share:
    """A listing with its share of the machine's GPUs."""

    listing: Pubkey
    gpus: Sequence[str]

    @classmethod
    def parse(cls, text: str, otherwise: Sequence[str]) -> Self:
        """A share from `LISTING` or `LISTING=0,1`. BadAddress, HostConfigurationError."""
        address, separator, named = text.partition("=")
        return cls(parse_address(address), parse_gpus(named) if separator else otherwise)


def parse_gpus(text: str) -> Sequence[str]:
    """GPUs from `all`, `none` or a list such as `0,1`. HostConfigurationError."""
    names = [name.strip() for name in text.split(",")]
    if names == ["none"]:
        return ()
    if "" in names or (len(names) > 1 and ("all" in names or "none" in names)):
        raise HostConfigurationError(f"{text!r} is not a list of GPUs", "Write all, none, or indices such as 0,1.")
    return tuple(names)
