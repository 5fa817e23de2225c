"""Checks an agent's settings against the chain and the engine, before a tenant or a test gets the machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import UnknownHost
from anchor_client.generated.accounts import Listing
from anchor_client.generated.pdas import find_host
from anchor_client.market import Market
from anchor_client.market.host.actions import approval_remedy
from anchor_client.service.private_files import replace_file
from host_agent.announcement import claimed
from host_agent.detect.device_nodes import device_nodes, unlinked
from host_agent.detect.gpus import find_gpus
from host_agent.disk.file_systems import DISKS, DiskImages
from host_agent.disk.one_disk import sharing_the_disk
from host_agent.docker.disk_trial import try_disk_image
from host_agent.docker.engine import Engine
from host_agent.docker.fetch_guard import can_cut
from host_agent.docker.isolation import dump_program
from host_agent.docker.open_files import sees_all_processes
from host_agent.errors import HostConfigurationError, MachineFault
from host_agent.identity import MachineIdentity
from host_agent.images.rules import GB
from host_agent.leftovers import Leftovers
from host_agent.listings.overlap import SharedMachine
from host_agent.listings.shortfalls import KnownMachine
from host_agent.network.one_firewall import sharing_the_firewall
from host_agent.network.port_ranges import first_ports
from host_agent.settings.agent import AgentSettings
from host_agent.settings.machine import PORTS_PER_MACHINE, MachineCapacity, MachineSettings, Share

SERVED_FILE: Final = "listing"
"""File in the state directory: the listing of an agent started without --listing."""

DISKS_REMEDY: Final = (
    "Workspaces are measured instead, and one listing at a time is rented. To give each a file system, run the agent "
    "as root or in the group `disk`, on the engine's machine and disk, with e2fsprogs installed."
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Preparation:
    """The listings of this machine, their parts of it, and the engine."""

    engine: Engine
    identity: MachineIdentity
    capacity: MachineCapacity
    listings: Mapping[Pubkey, Listing]
    machines: Sequence[MachineSettings]
    shared: SharedMachine
    left: Leftovers

    async def known(self) -> KnownMachine | None:
        """Properties of the machine, as far as it can be seen from here."""
        has_gpus = any(machine.gpus for machine in self.machines)
        return await known_machine(await self.engine.data_root(), self.capacity, has_gpus=has_gpus)


@asynccontextmanager
async def prepare(settings: AgentSettings, market: Market) -> AsyncIterator[Preparation]:
    """Takes the listings of this machine for this process alone. HostConfigurationError, MachineFault, UnknownHost.

    If this agent may serve none, it wipes ended tenants that were left all the same.
    """
    async with AsyncExitStack() as stack:
        await settings.egress.require_firewall()
        stack.enter_context(sharing_the_firewall(settings.egress))
        engine = await stack.enter_async_context(Engine.connect(settings.engine_url))
        listings: Mapping[Pubkey, Listing] = {}
        try:
            held = await engine.held()
            listings = await _listings(settings, market, held)
            shares = served_shares(settings, listings, market.address, held)
        except (HostConfigurationError, UnknownHost):
            await Leftovers(settings, market, engine, listings).look()
            raise
        if any(share.gpus for share in shares) and not await engine.knows_gpus():
            raise HostConfigurationError(
                "The Docker engine cannot give GPUs to containers",
                "Install NVIDIA's container toolkit, or pass --gpus none (and --device for GPUs of other makers).",
            )
        for share in shares:
            # A second agent on this machine would take this one's containers for its own.
            busy = HostConfigurationError(
                f"Another agent on this machine serves the listing {share.listing}",
                "Stop it, or choose other listings.",
            )
            stack.enter_context(claimed(share.listing, settings.state_dir, busy))
        nodes = {share.listing: device_nodes(share.gpus) for share in shares}
        await _require_isolation(engine, settings, [path for paths in nodes.values() for path in paths])
        identity = MachineIdentity.load_or_create(settings.state_dir, settings.address, settings.certificate)
        capacity = await engine.capacity()
        served = {share.listing: listings[share.listing] for share in shares}
        disks = await _disk_images(engine, settings.state_dir, shares[0].listing, capacity)
        is_limited = capacity.limits_disk or disks.are_mounted
        stack.enter_context(sharing_the_disk(await engine.id(), DISKS_REMEDY, is_limited=is_limited))
        shared = SharedMachine(shares, one_tenant=not is_limited)
        _require_exclusive(settings, shared, market.address)
        listed_gb = shared.most({address: listing.ram_gb for address, listing in served.items()})
        ports = ports_of_listings(settings, len(shares))
        machines = [
            machine_settings(
                settings,
                share,
                first_port,
                served[share.listing],
                capacity.part_of(served[share.listing].ram_gb, listed_gb),
                nodes[share.listing],
            )
            for first_port, share in zip(ports, shares, strict=True)
        ]
        machines = [replace(machine, disks=disks, listings=len(shares)) for machine in machines]
        left = Leftovers(settings, market, engine, listings)
        await left.look(served)
        yield Preparation(engine, identity, capacity, served, machines, shared, left)


async def _disk_images(engine: Engine, state_dir: Path, listing: Pubkey, capacity: MachineCapacity) -> DiskImages:
    """Images for tenants' workspaces, used where no quota limits volumes, on the engine's own disk."""
    images = DiskImages(state_dir / DISKS, are_mounted=False)
    if capacity.limits_disk:
        return images
    try:
        if os.stat(await engine.data_root()).st_dev != os.stat(state_dir).st_dev:
            raise MachineFault("The agent's state directory is not on the engine's disk", "Move it with --state-dir.")
        await try_disk_image(engine, images, listing)
    except OSError as error:
        log.warning("workspaces_without_disks", error=str(error), remedy=DISKS_REMEDY)
    except MachineFault as error:
        log.warning("workspaces_without_disks", error=error.message, remedy=error.remedy or DISKS_REMEDY)
    else:
        return replace(images, are_mounted=True)
    return images


async def known_machine(root: Path, capacity: MachineCapacity, *, has_gpus: bool) -> KnownMachine | None:
    """The engine's machine, if this is it: `root` is the engine's directory. None for a machine elsewhere."""
    try:
        disk = shutil.disk_usage(root).total // GB
    except OSError:  # the engine is on another machine, or in a container
        return None
    if not has_gpus:
        return KnownMachine(capacity, disk, None)
    try:
        return KnownMachine(capacity, disk, await find_gpus())
    except MachineFault as error:
        return KnownMachine(capacity, disk, None, error.message)


async def _require_isolation(engine: Engine, settings: AgentSettings, nodes: Sequence[str]) -> None:
    """Raises HostConfigurationError if the engine does not support the settings; warns about missing protections, and
    about device nodes that containers would lose.
    """
    found = await engine.isolation()
    found.require_runtime(settings.runtime)
    if found.has_systemd_groups and (missing := unlinked(nodes)):
        log.warning(
            "gpus_lost_at_reload",
            devices=missing,
            remedy="Containers lose these devices when systemd reloads. Run as root after each boot, as the shipped "
            "unit does: `nvidia-ctk system create-dev-char-symlinks --create-all`. Or set in /etc/docker/daemon.json: "
            '"exec-opts": ["native.cgroupdriver=cgroupfs"].',
        )
    if not found.limits_disk:
        log.warning(
            "disk_without_quotas",
            storage_driver=found.storage_driver,
            remedy="The agent stops orders that exceed the listed disk. Keep Docker's data on btrfs, zfs, or "
            "XFS mounted with pquota to enforce the limit.",
        )
    if not sees_all_processes():
        log.warning(
            "open_files_unseen",
            remedy="Files that a tenant has deleted and keeps open can fill this disk. Run the agent as root, or with "
            "CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE and CAP_DAC_READ_SEARCH, as the shipped unit does.",
        )
    if not can_cut():
        log.warning(
            "engine_connections_stay",
            remedy="A registry can fill the engine's memory. Install iproute2: the agent cuts connections with `ss`.",
        )
    if (program := dump_program()) is not None:
        log.warning(
            "core_dumps_run_a_program",
            program=program,
            remedy="A tenant who asks for it can have this machine run it for each of their crashes. Set for this "
            "machine, and in /etc/sysctl.d: `sysctl kernel.core_pattern=core`.",
        )
    if not found.has_seccomp:
        log.warning(
            "system_calls_not_confined",
            remedy="Use Docker's default seccomp profile: remove `seccomp-profile` from /etc/docker/daemon.json.",
        )
    runtime = settings.runtime or found.default_runtime
    log.info(
        "isolation",
        runtime=runtime,
        user_namespaces=found.has_user_namespaces,
        seccomp=found.has_seccomp,
        disk=bool(found.limits_disk),
    )


async def _listings(settings: AgentSettings, market: Market, held: Collection[Pubkey] = ()) -> Mapping[Pubkey, Listing]:
    """All of the host's listings. HostConfigurationError if orders are not sealed to the agent's key; one that operates
    no listing gets none, and serves tenants that are `held` to their end.
    """
    owner = settings.owner or market.address
    host = await market.reads.host(owner)
    listings = await market.reads.listings_of(find_host(owner, market.program_id)[0])
    if host.seal_key != settings.seal_key.public:
        operates = any(listing.operator == market.address for listing in listings.values())
        if operates or listings.keys().isdisjoint(held):
            raise HostConfigurationError(
                "Renters seal their orders to another key than this one",
                "Pass the file written by `gpu-market host register` with --seal-key.",
            )
    if not host.approved:
        log.warning(
            "host_not_approved",
            wallet=str(owner),
            remedy=f"{approval_remedy(owner)} Until then no order reaches your machines.",
        )
    return listings


def served_shares(
    settings: AgentSettings, listings: Mapping[Pubkey, Listing], operator: Pubkey, held: Collection[Pubkey] = ()
) -> Sequence[Share]:
    """The listings that this machine serves. HostConfigurationError unless all belong to the host, and this key
    operates them; the tenants of those that are `held` are wiped whichever key operates them now.
    """
    if settings.shares:
        _require_own(settings.shares, listings, operator, held)
        return settings.shares
    operated = [address for address, listing in listings.items() if listing.operator == operator or address in held]
    served = _served(settings.state_dir)
    if not operated:
        if served is not None and served in listings:
            _require_own([Share(served, settings.gpus)], listings, operator, held)
        raise HostConfigurationError(
            f"No listing of this host is operated by {operator}",
            "List a machine first (`gpu-market host list`), or let the owner set its operator "
            f"(`gpu-market host operator {operator}`).",
        )
    if served in operated:
        listing = served
    elif len(operated) == 1:
        listing = operated[0]
    else:
        choices = ", ".join(_told(each, listings, operator) for each in operated)
        raise HostConfigurationError(
            f"Which of several listings is this machine? {choices}",
            "Pass it with --listing.",
        )
    replace_file(settings.state_dir / SERVED_FILE, f"{listing}\n".encode())
    return [Share(listing, settings.gpus)]


def _told(listing: Pubkey, listings: Mapping[Pubkey, Listing], operator: Pubkey) -> str:
    if listings[listing].operator == operator:
        return str(listing)
    return f"{listing} (of another operator; its tenant is here)"


def _served(state_dir: Path) -> Pubkey | None:
    """The listing of this machine from an earlier run without --listing: a second listing changes nothing."""
    try:
        return Pubkey.from_string((state_dir / SERVED_FILE).read_text().strip())
    except (FileNotFoundError, ValueError):
        return None


def _require_own(
    shares: Sequence[Share], listings: Mapping[Pubkey, Listing], operator: Pubkey, held: Collection[Pubkey]
) -> None:
    named = [share.listing for share in shares]
    for listing in named:
        if listing not in listings:
            raise HostConfigurationError(f"{listing} is not a listing of this host", "Check `gpu-market host show`.")
        if listings[listing].operator != operator and listing not in held:
            raise HostConfigurationError(
                f"{listing} is operated by {listings[listing].operator}, and this key is {operator}",
                f"Use that key, or let the owner run `gpu-market host operator {operator} --listing {listing}`.",
            )
    if len(set(named)) != len(named):
        raise HostConfigurationError("A listing is repeated", "Pass each once, with all of its GPUs.")


def _require_exclusive(settings: AgentSettings, shared: SharedMachine, signer: Pubkey) -> None:
    """Raises HostConfigurationError unless overlapping listings can be kept apart."""
    if not shared.has_overlap:
        return
    is_owner = settings.owner in (None, signer)
    if not shared.shares_gpus:
        if not is_owner:
            raise HostConfigurationError(
                "Nothing limits a tenant on this machine's disk, and only the listings' owner can hide those that wait",
                f"Run the agent with the owner's key, or serve one listing. {DISKS_REMEDY}",
            )
        log.warning("one_tenant_at_a_time", remedy=DISKS_REMEDY)
        return
    if not is_owner:
        raise HostConfigurationError(
            "Listings share GPUs, and only their owner's key can hide those whose GPUs are rented",
            "Run the agent with the owner's key, or give each listing GPUs of its own.",
        )
    if settings.background is not None:
        raise HostConfigurationError(
            "Listings share GPUs, so a background job of one would run beside the others' tenants",
            "Omit --background-image, or give each listing GPUs of its own.",
        )


def ports_of_listings(settings: AgentSettings, listings: int) -> Sequence[int]:
    """The first of each listing's ports, in order. HostConfigurationError."""
    ranges = settings.ports or [range(settings.first_port, settings.first_port + listings * PORTS_PER_MACHINE)]
    return first_ports(ranges, listings)


def machine_settings(
    settings: AgentSettings,
    share: Share,
    first_port: int,
    listing: Listing,
    capacity: MachineCapacity,
    nodes: Sequence[str] = (),
) -> MachineSettings:
    images = settings.images
    own = {
        "gpus": share.gpus,
        "devices": [*dict.fromkeys((*settings.devices, *nodes))],
        "first_port": first_port,
        "keep_days": listing.keep_days,
        "cuda": listing.cuda,
        "limits": settings.limits.within(listing, capacity),
        "images": replace(images, max_bytes=images.max_bytes or listing.disk_gb * GB),
    }
    return MachineSettings.of(settings, share.listing, **own)
