"""Reach of a tenant of a simulated machine on this computer: nothing but run programs in their workspace."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.indexer.service import until
from tests.local_market.machine.conftest import logged_in
from tests.processes.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("sandboxed")

ATTACKS = {
    "this computer's files": "ls /root /home /work /mnt /old {folder}",
    "its passwords": "cat /etc/shadow",
    "its programs": "touch /usr/bin/intruder",
    "the simulated figures": "touch /opt/gpu-market/bin/intruder",
    "the kernel's settings": "echo '|/workspace/intruder' > /proc/sys/kernel/core_pattern",
    "the mounts": "umount /usr || umount /proc/sys || mount -o remount,rw /usr",
    "a namespace of its own": "unshare -Urm umount /proc/sys",
    "processes outside": "kill -0 {pid}",
    "a device": "mknod /workspace/disk b 8 0 && head -c 1 /workspace/disk",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
async def test_sandbox__tenant_reaches_for_what_is_not_theirs__gets_nothing(hosting: Any, attack: str) -> None:
    async with hosting() as host, logged_in(await host.rent()) as tenant:
        told = attack.format(folder=host.folder, pid=os.getpid())
        done = await tenant.run(f"({told}) && echo reached")
        assert "reached" not in str(done.stdout), done


async def test_sandbox__port_of_this_computer__is_not_reached(hosting: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.5)
        port = listener.getsockname()[1]
        async with hosting() as host, logged_in(await host.rent()) as tenant:
            done = await tenant.run(f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'")
            assert done.exit_status
        with pytest.raises(TimeoutError):
            listener.accept()


async def test_sandbox__rental_ends__all_its_programs_and_files_are_gone(hosting: Any) -> None:
    async with hosting() as host:
        before = {each.pid for each in psutil.process_iter()}

        def ours() -> list[psutil.Process]:
            # Unlike cmdline(), `info` passes over the zombies of others.
            found = [each for each in psutil.process_iter(["cmdline"]) if each.pid not in before]
            return [each for each in found if "4321" in (each.info["cmdline"] or ())]

        async def both_run() -> bool:
            return len(ours()) >= 2

        async with logged_in(await host.rent(command="sleep 4321")) as tenant:
            await tenant.run("setsid sleep 4321 > /dev/null 2>&1 < /dev/null & mkdir -m 0 locked; echo kept > kept")
        await until(both_run, PATIENCE)
        running = ours()
        await host.machine.vacate()
        assert psutil.wait_procs(running, timeout=PATIENCE)[1] == []
        assert not host.folder.exists() and host.machine.tenant is None


async def test_sandbox__up_is_killed__programs_end_with_it(tmp_path: Path) -> None:
    program = """
import asyncio, sys
from pathlib import Path
from local_market.machine.sandbox import Sandbox

async def main():
    root, shown, workspace = (Path(sys.argv[1]) / name for name in ("root", "shown", "workspace"))
    sandbox = Sandbox(root, shown, workspace, "probe")
    await sandbox.start()
    process = await asyncio.create_subprocess_exec(*sandbox.command(["sleep", "5432"], {"PATH": "/usr/bin:/bin"}))
    print("ready", flush=True)
    await process.wait()

asyncio.run(main())
"""
    # Debian's for people who are not root: without /usr/sbin, which has pivot_root.
    path = os.environ | {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    up = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(tmp_path / "probe"), stdout=PIPE, env=path
    )
    assert up.stdout is not None and await up.stdout.readline() == b"ready\n"

    async def sleeping() -> bool:
        return any(each.info["cmdline"] == ["sleep", "5432"] for each in psutil.process_iter(["cmdline"]))

    async def ended() -> bool:
        return not await sleeping()

    await until(sleeping, PATIENCE)
    up.send_signal(signal.SIGKILL)
    await up.wait()
    await until(ended, PATIENCE)
