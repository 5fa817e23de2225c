"""What a machine says of itself over SSH, against what was listed. A host that forges its answers is not found out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import asyncssh

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Listing
from anchor_client.rules.catalog import GPU_BY_ID, gpu_slug
from anchor_client.rules.listing import CUDA_MAJOR
from anchor_client.sealing import Connection
from market_cli.machine_connection import logged_in

SECONDS: Final = 30.0
SCRIPT: Final = """
echo "gpus $(nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits 2>/dev/null | tr '\\n' ';')"
echo "cuda $(nvidia-smi 2>/dev/null | grep -o 'CUDA[A-Za-z ]*Version: *[0-9.]*' | grep -o '[0-9.]*$')"
echo "cores $(nproc 2>/dev/null)"
echo "ram $(grep MemTotal /proc/meminfo | tr -dc 0-9)"
echo "disk $(df -Pk / | tail -n 1 | awk '{print $2}')"
"""
"""What is asked, in the words of any POSIX shell."""
SLACK_PERCENT: Final = 90
"""Of the GB listed, what the machine must show: drivers and file systems take some, and GB may be GiB."""
KIB: Final = 1_024
GB: Final = 10**9
MIB: Final = 2**20


class MachineUnreachable(GpuMarketError):
    """A machine cannot be asked over SSH what it is."""

    default_remedy = "See that it runs sshd: `gpu-market job JOB --connection`; `stop --issue unreachable` reports it."


@dataclass(frozen=True, slots=True)
class Finding:
    """One property; `agrees` is None where the machine does not tell."""

    what: str
    listed: str
    found: str
    agrees: bool | None


async def ask(connection: Connection) -> dict[str, str]:
    """What a machine says of itself, by the words of SCRIPT. MachineUnreachable."""
    try:
        async with logged_in(connection) as machine:
            done = await machine.run(SCRIPT, timeout=SECONDS)
    except (OSError, TimeoutError, asyncssh.Error) as error:
        place = f"{connection.host}:{connection.port}"
        raise MachineUnreachable(f"The machine at {place} cannot be asked: {error or type(error).__name__}") from error
    lines = (line.partition(" ") for line in str(done.stdout or "").splitlines())
    return {word: value.strip() for word, _, value in lines}


def compare(listing: Listing, told: dict[str, str]) -> list[Finding]:
    """Each property that is listed, with what the machine says."""
    return [*_gpus(listing, told.get("gpus", "")), *_rest(listing, told)]


def _gpus(listing: Listing, told: str) -> Iterator[Finding]:
    found = [tuple(part.strip() for part in each.rsplit(",", 1)) for each in told.split(";") if "," in each]
    names, sizes = [one[0] for one in found], [int(one[1]) for one in found if one[1].isdigit()]
    model = GPU_BY_ID.get(listing.gpu_model)
    name = model.name if model is not None else gpu_slug(listing.gpu_model)
    is_named = all(map(model.is_named, names)) if names and model is not None else None
    yield Finding("GPU", name, ", ".join(sorted(set(names))) or "not told", is_named)
    yield Finding(
        "GPUs",
        str(listing.gpu_count),
        str(len(found) or "not told"),
        len(found) >= listing.gpu_count if found else None,
    )
    least = min(sizes, default=0) * MIB // GB
    yield Finding(
        "VRAM of each", f"{listing.vram_gb} GB", f"{least} GB" if sizes else "not told", _holds(least, listing.vram_gb)
    )


def _rest(listing: Listing, told: dict[str, str]) -> Iterator[Finding]:
    cores, ram, disk = (int(told[word]) if told.get(word, "").isdigit() else 0 for word in ("cores", "ram", "disk"))
    yield Finding(
        "CPU cores", str(listing.cpu_cores), str(cores or "not told"), cores >= listing.cpu_cores if cores else None
    )
    for what, size, least in (("RAM", ram, listing.ram_gb), ("disk", disk, listing.disk_gb)):
        found = size * KIB // GB
        yield Finding(what, f"{least} GB", f"{found} GB" if size else "not told", _holds(found, least))
    version = re.fullmatch(r"(\d+)\.(\d+)", told.get("cuda", ""))
    number = int(version[1]) * CUDA_MAJOR + int(version[2]) if version else 0
    listed = f"{listing.cuda // CUDA_MAJOR}.{listing.cuda % CUDA_MAJOR}"
    yield Finding("CUDA", listed, version[0] if version else "not told", number >= listing.cuda if version else None)


def _holds(found: int, listed: int) -> bool | None:
    return found * 100 >= listed * SLACK_PERCENT if found else None
