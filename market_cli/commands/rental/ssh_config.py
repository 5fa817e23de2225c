"""`gpu-market ssh-config`."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable

from anchor_client.errors import OrderNotSealed
from anchor_client.service.private_files import replace_file
from market_cli.acting import acting
from market_cli.job_names import read_names
from market_cli.machine.reach import JobReach
from market_cli.paths import job_ssh_directory, ssh_config_file
from market_cli.session import CliSession


@acting
async def ssh_config(session: CliSession) -> None:
    """Write an entry for each of your running jobs for ~/.ssh/config to include: `ssh gpu-NAME`, VS Code, rsync.

    Removes the entries of ended jobs and their files.
    """
    market = session.signing
    jobs = [job.id for job in await market.jobs.list(session.owner(None))]
    names = read_names()
    entries = []
    hosts = {}
    for job in jobs:
        try:
            access = await market.rental.access(job)
        except OrderNotSealed:
            session.out.warn(f"{job} was ordered on another computer, so it gets no entry.")
            continue
        if access is not None:
            called = [f"gpu-{name}" for name, named in names.items() if named == job] + [f"gpu-{job}"]
            hosts[str(job)] = called[0]
            entries.append(_entry(called, JobReach(job, access)))
    file = ssh_config_file()
    await asyncio.to_thread(_forget_all_but, {str(job) for job in jobs})
    replace_file(file, "".join(["# Written by gpu-market ssh-config.\n", *entries]).encode())
    session.out.show(
        {"file": str(file), "hosts": hosts},
        *(f"ssh {host}" for host in hosts.values()),
        f"Written to {file}. Once, add this as the first line of ~/.ssh/config: [bold]Include {file}[/]",
    )


def _entry(called: Iterable[str], machine: JobReach) -> str:
    lines = [f"Host {' '.join(called)}", *(f'  {name} "{value}"' for name, value in machine.options().items())]
    return "\n".join(lines) + "\n"


def _forget_all_but(jobs: set[str]) -> None:
    folder = job_ssh_directory()
    for each in folder.iterdir() if folder.exists() else ():
        if each.name not in jobs:
            shutil.rmtree(each)
