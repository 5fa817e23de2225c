"""A Docker engine's isolation and limits of its containers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from host_agent.errors import HostConfigurationError

ALWAYS_LIMITED: Final = ("btrfs", "zfs")
"""Storage drivers that limit every container's own layer."""
OVERLAY: Final = "overlay2"
PROJECT_QUOTAS: Final = {"prjquota", "pquota"}
"""Mount options of XFS that let the overlay driver do so."""
UNCONFINED: Final = "profile=unconfined"
MOUNTS: Final = Path("/proc/mounts")
CORE_PATTERN: Final = Path("/proc/sys/kernel/core_pattern")
"""The kernel's place for core dumps, the same for containers; a program's begins with a bar."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """The engine's own report of its isolation."""

    runtimes: Sequence[str]
    default_runtime: str
    has_user_namespaces: bool
    """True if root in a container is another user outside (`userns-remap`)."""
    has_seccomp: bool
    """True if a profile limits containers' system calls."""
    storage_driver: str
    limits_disk: bool | None
    """True if containers' own layers can be limited; None if that is not visible from here."""
    has_systemd_groups: bool = False
    """True if systemd manages the containers' control groups, and their devices with them."""

    @classmethod
    def of(cls, info: Mapping[str, Any], mounts: str) -> Isolation:
        """From `docker info` and the mounts of the engine's machine."""
        security = [str(one).split(",") for one in info.get("SecurityOptions") or ()]
        return cls(
            runtimes=sorted(info.get("Runtimes") or {}),
            default_runtime=str(info.get("DefaultRuntime", "")),
            has_user_namespaces=any("name=userns" in one for one in security),
            has_seccomp=any("name=seccomp" in one and UNCONFINED not in one for one in security),
            storage_driver=str(info.get("Driver", "")),
            limits_disk=_limits_disk(info, mounts),
            has_systemd_groups=info.get("CgroupDriver") == "systemd",
        )

    def require_runtime(self, runtime: str | None) -> None:
        """HostConfigurationError for a runtime that the engine does not have."""
        if runtime is not None and runtime not in self.runtimes:
            raise HostConfigurationError(
                f"The Docker engine has no runtime {runtime!r}; it has {', '.join(self.runtimes)}",
                "Install it and add it under `runtimes` in /etc/docker/daemon.json, then restart the engine.",
            )


def mounts_here() -> str:
    """The mounts of this machine, as the kernel lists them."""
    return MOUNTS.read_text("utf-8", "surrogateescape")


def dump_program() -> str | None:
    """The program that this machine's kernel runs, as root, for each process that crashes; None without one."""
    kind, bar, program = CORE_PATTERN.read_text().partition("|")
    return program.strip() if bar and not kind else None


def _limits_disk(info: Mapping[str, Any], mounts: str) -> bool | None:
    driver = info.get("Driver")
    status = dict(info.get("DriverStatus") or ())
    if driver in ALWAYS_LIMITED:
        return True
    if driver != OVERLAY or status.get("Backing Filesystem") != "xfs":
        return False
    root = PurePosixPath(str(info.get("DockerRootDir", "/")))
    # Of mounts on the same place the last one is seen, and /proc/mounts has them in order.
    options = {place: set(flags.split(",")) for _, place, _, flags, *_ in map(str.split, mounts.splitlines())}
    place = next((str(folder) for folder in (root, *root.parents) if str(folder) in options), None)
    return None if place is None else bool(options[place] & PROJECT_QUOTAS)
