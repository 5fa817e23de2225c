"""A Docker engine of the test's own, from the machine's packages, with images made on the spot."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from xprocess import ProcessStarter, XProcess

from tests.processes.patience import PATIENCE

BUSYBOX = Path("/bin/busybox")
APPLETS = [
    "cat",
    "chmod",
    "chown",
    "dd",
    "echo",
    "env",
    "false",
    "head",
    "httpd",
    "id",
    "kill",
    "ln",
    "ls",
    "mkdir",
    "mkfifo",
    "mktemp",
    "mv",
    "nc",
    "readlink",
    "rm",
    "rmdir",
    "setsid",
    "sh",
    "sha1sum",
    "sleep",
    "stat",
    "stty",
    "tail",
    "test",
    "touch",
    "uname",
    "wc",
]
IMAGE = "gpu-market-test/busybox:1"
"""A shell and a few commands, with a volume at /data."""
TOOLS_IMAGE = "gpu-market-test/tools:1"
"""The same with this machine's own bash, perl and rsync, as far as it has them, for a user that is not root."""
TOOLS = ("bash", "perl", "rsync")
BARE_IMAGE = "gpu-market-test/bare:1"
"""Nothing to run at all."""


@dataclass(frozen=True, slots=True)
class OwnEngine:
    """A running engine."""

    url: str
    restart: Callable[[], None]
    """Kills it and starts it again, as a reboot does."""

    def docker(self, *arguments: str, given: bytes | None = None) -> str:
        """Runs Docker's own command line, and gives what it prints."""
        command = ["docker", "--host", self.url, *arguments]
        return subprocess.run(command, check=True, capture_output=True, input=given).stdout.decode()

    def names(self, *what: str) -> set[str]:
        """Names of all containers, networks or volumes, as `docker` lists them."""
        return set(self.docker(*what, "--format", "{{.Names}}" if what[0] == "ps" else "{{.Name}}").split())

    def inspect(self, name: str) -> dict[str, Any]:
        """A container, whole."""
        found: list[dict[str, Any]] = json.loads(self.docker("inspect", name))
        return found[0]

    def run_in(self, name: str, *command: str) -> str:
        """Runs a command in a container; returns its output."""
        return self.docker("exec", name, *command)


def require() -> None:
    """Skips with the reason where an engine cannot be started, and fails instead in CI."""
    missing = [name for name in ("dockerd", "docker", "iptables") if shutil.which(name) is None]
    if os.geteuid() != 0:
        reason = "a Docker engine of one's own needs root"
    elif missing:
        reason = f"{', '.join(missing)} is not installed"
    elif not BUSYBOX.exists() or subprocess.run(["ldd", BUSYBOX], capture_output=True, check=False).returncode == 0:
        reason = "busybox-static is not installed"
    else:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def running(xprocess: XProcess, data: Path | None = None, **daemon: Any) -> Iterator[OwnEngine]:
    """An engine on a Unix socket, with the test images; `daemon` is what its daemon.json says, `data` where it keeps
    everything, if not among its own.
    """
    directory = Path(tempfile.mkdtemp(prefix="gpu-market-docker-"))
    directory.chmod(0o711)  # containers' users, which may be others outside, pass through it
    url = f"unix://{directory / 'docker.sock'}"
    serve = (
        *(
            "dockerd",
            "--host",
            url,
            "--data-root",
            str(data or directory / "data"),
            "--exec-root",
            str(directory / "exec"),
        ),
        *("--pidfile", str(directory / "pid"), "--bridge", "none", "--config-file", str(directory / "daemon.json")),
    )

    class Starter(ProcessStarter):
        pattern = "API listen on"
        timeout = int(PATIENCE)
        max_read_lines = 500
        terminate_on_interrupt = True
        args = serve
        popen_kwargs = MappingProxyType({"cwd": str(directory)})

    (directory / "daemon.json").write_text(json.dumps(daemon))

    def restart() -> None:
        xprocess.getinfo(directory.name).terminate(timeout=0.1)
        (directory / "pid").unlink(missing_ok=True)
        xprocess.ensure(directory.name, Starter, restart=True)

    xprocess.ensure(directory.name, Starter)
    engine = OwnEngine(url, restart)
    try:
        engine.docker("import", "--change", "VOLUME /data", "--change", 'CMD ["/bin/sh"]', "-", IMAGE, given=busybox())
        user = ("--change", "USER 1000:1000", "--change", "WORKDIR /home", "--change", 'CMD ["/bin/sh"]')
        engine.docker("import", *user, "-", TOOLS_IMAGE, given=_archive(_add_tools))
        engine.docker("import", "-", BARE_IMAGE, given=_archive())
        yield engine
    finally:
        for container in engine.docker("ps", "--all", "--quiet").split():
            engine.docker("rm", "--force", "--volumes", container)
        _detach_disks(engine)
        # Their bridges would stay on this machine, each with addresses that the next engines then lack.
        engine.docker("network", "prune", "--force")
        xprocess.getinfo(directory.name).terminate()
        shutil.rmtree(directory, ignore_errors=True)


def _detach_disks(engine: OwnEngine) -> None:
    """Frees the loop devices of tenants who were left: agents of tests that have ended wipe nothing."""
    for volume in engine.docker("volume", "ls", "--quiet").split():
        [found] = json.loads(engine.docker("volume", "inspect", volume))
        device = Path((found["Options"] or {}).get("device", ""))
        if device.is_symlink():
            subprocess.run(["losetup", "--detach", device.readlink()], check=True)


def busybox() -> bytes:
    """The files of IMAGE, as a tar archive."""
    return _archive(_add_busybox)


def with_file(data: bytes, name: str = "file", mode: int = 0o644) -> bytes:
    """The files of IMAGE and one more, as a tar archive."""
    target = io.BytesIO(busybox())
    with tarfile.open(fileobj=target, mode="a") as archive:
        file = tarfile.TarInfo(name)
        file.size, file.mode = len(data), mode
        archive.addfile(file, io.BytesIO(data))
    return target.getvalue()


def with_files(count: int) -> bytes:
    """The files of IMAGE and `count` empty ones, as a tar archive."""
    target = io.BytesIO(busybox())
    with tarfile.open(fileobj=target, mode="a") as archive:
        for number in range(count):
            archive.addfile(tarfile.TarInfo(f"file-{number}"))
    return target.getvalue()


def _add_busybox(archive: tarfile.TarFile) -> None:
    archive.add(BUSYBOX.resolve(), "bin/busybox")
    for applet in APPLETS:
        link = tarfile.TarInfo(f"bin/{applet}")
        link.type, link.linkname = tarfile.SYMTYPE, "busybox"
        archive.addfile(link)


def _add_tools(archive: tarfile.TarFile) -> None:
    _add_busybox(archive)
    for name, mode in (("home", 0o777), ("tmp", 0o1777)):
        folder = tarfile.TarInfo(name)
        folder.type, folder.mode = tarfile.DIRTYPE, mode
        archive.addfile(folder)
    programs = [Path(found) for tool in TOOLS if (found := shutil.which(tool)) is not None]
    needed = {*programs, *(library for program in programs for library in _libraries(program))}
    for file in sorted(needed):
        archive.add(file.resolve(), str(file).lstrip("/"))
    if "perl" in {program.name for program in programs}:
        where = subprocess.run(["perl", "-MSocket", "-e", "print $INC{'Socket.pm'}"], check=True, capture_output=True)
        folder_of_modules = str(Path(where.stdout.decode()).parent)
        archive.add(folder_of_modules, folder_of_modules.lstrip("/"))


def _libraries(program: Path) -> list[Path]:
    told = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return [Path(word) for word in told.split() if word.startswith("/")]


def _archive(fill: Any = lambda archive: None) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        marker = tarfile.TarInfo("etc")
        marker.type, marker.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(marker)
        fill(archive)
    return target.getvalue()
