"""Isolation of renters' containers, by what an engine reports of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from host_agent.docker import isolation as its_isolation
from host_agent.docker.isolation import Isolation, dump_program, mounts_here
from host_agent.errors import HostConfigurationError

INFO = {
    "Runtimes": {"runc": {}, "runsc": {}},
    "DefaultRuntime": "runc",
    "SecurityOptions": ["name=seccomp,profile=default"],
    "Driver": "overlay2",
    "DriverStatus": [["Backing Filesystem", "xfs"], ["Supports d_type", "true"]],
    "DockerRootDir": "/srv/docker",
}
MOUNTS = "/dev/sda1 / ext4 rw 0 0\n/dev/nvme0n1 /srv xfs rw,noatime,{} 0 0\n"


def isolation(mounts: str = MOUNTS, **other: Any) -> Isolation:
    return Isolation.of(INFO | other, mounts)


@pytest.mark.parametrize(
    ("mounts", "other", "limits"),
    [
        (MOUNTS.format("prjquota"), {}, True),
        (MOUNTS.format("pquota"), {}, True),
        (MOUNTS.format("noquota"), {}, False),
        ("", {}, None),
        (MOUNTS.format("prjquota"), {"DriverStatus": [["Backing Filesystem", "extfs"]]}, False),
        (MOUNTS.format("prjquota"), {"Driver": "vfs"}, False),
        ("", {"Driver": "btrfs", "DriverStatus": None}, True),
        ("", {"Driver": "zfs"}, True),
    ],
)
def test_limits_disk__storage_driver_and_mount__say_whether_it_can(
    mounts: str, other: dict[str, Any], limits: bool | None
) -> None:
    assert isolation(mounts, **other).limits_disk is limits


def test_runtime__not_the_engines__names_those_that_are() -> None:
    found = isolation()
    found.require_runtime(None)
    found.require_runtime("runsc")
    with pytest.raises(HostConfigurationError, match="it has runc, runsc"):
        found.require_runtime("kata-runtime")


@pytest.mark.parametrize(
    ("pattern", "program"),
    [("core\n", None), ("/var/crash/a|b\n", None), ("|/usr/share/apport/apport %p\n", "/usr/share/apport/apport %p")],
)
def test_dump_program__by_the_kernels_setting__is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, program: str | None
) -> None:
    (tmp_path / "core_pattern").write_text(pattern)
    monkeypatch.setattr(its_isolation, "CORE_PATTERN", tmp_path / "core_pattern")
    assert dump_program() == program


def test_user_namespaces__remapped__are_told() -> None:
    assert not isolation().has_user_namespaces
    assert isolation(SecurityOptions=["name=seccomp,profile=default", "name=userns"]).has_user_namespaces


@pytest.mark.parametrize(
    ("options", "confined"),
    [
        (["name=apparmor", "name=seccomp,profile=default"], True),
        (["name=seccomp,profile=builtin"], True),
        (["name=seccomp,profile=/etc/docker/own.json"], True),
        (["name=seccomp,profile=unconfined"], False),
        (["name=apparmor"], False),
        (None, False),
    ],
)
def test_seccomp__as_the_engine_has_it__is_told(options: list[str] | None, confined: bool) -> None:
    assert isolation(SecurityOptions=options).has_seccomp is confined


def test_mounts_here__this_machine__has_a_root() -> None:
    assert any(line.split()[1] == "/" for line in mounts_here().splitlines())
