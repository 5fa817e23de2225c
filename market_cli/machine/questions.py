"""Reads a machine's hardware over SSH and measures it; the machine needs only a shell."""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import asyncssh

from anchor_client.connection import Connection
from anchor_client.errors import GpuMarketError
from host_agent.detect.gpu_probe import Probed, probe_text, read_figures
from host_agent.detect.nvidia_smi import whole_number
from market_cli.machine.connection import logged_in

SECONDS: Final = 120.0
"""Maximum time for an answer; a slow disk and several GPUs take a while."""
LINE_SECONDS: Final = 3.0
"""Seconds for which each direction of the line is measured."""
LINE_BYTES: Final = 64 * 2**20
"""Maximum bytes sent for it."""
DOWNLOAD_SECONDS: Final = 10
CHUNK: Final = 2**16
MOST_CHARACTERS: Final = 2**20
"""Longest answer that is read: a host may send without end."""
MEGABIT: Final = 10**6
NO_PYTHON: Final = "the image has no python3"
CLOCK: Final = """
clock() { read -r up idle < /proc/uptime; echo "${up%.*}${up#*.}"; }
"""
"""Hundredths of a second."""
SCRIPT: Final = (
    CLOCK
    + """
gpu=name,memory.total,driver_version,pcie.link.gen.max,pcie.link.width.max
echo "gpus $(nvidia-smi --query-gpu=$gpu --format=csv,noheader,nounits 2>/dev/null | tr '\\n' ';')"
devices=$(ls -d /dev/nvidia[0-9]* 2>/dev/null | wc -l)
[ "$devices" != 0 ] || devices=$(ls -d /dev/dri/renderD* 2>/dev/null | wc -l)
[ -e /dev/dxg ] || echo "devices $devices"
echo "cuda $(nvidia-smi 2>/dev/null | grep -o 'CUDA[A-Za-z ]*Version: *[0-9.]*' | grep -o '[0-9.]*$')"
cores=$(nproc 2>/dev/null)
echo "cores $cores"
echo "ram $(grep MemTotal /proc/meminfo | tr -dc 0-9)"
echo "disk $(df -Pk / | tail -n 1 | awk '{print $2}')"
at=/workspace; [ -d $at ] && [ -w $at ] || at=/tmp
block=$(mktemp $at/gpu-market.XXXXXX) && if [ "$(df -Pk $at | tail -n 1 | awk '{print $4}')" -gt 1048576 ]; then
  head -c 8388608 /dev/urandom > "$block"
  begun=$(clock) part=0
  while [ $part -lt 32 ]; do cat "$block"; part=$((part + 1)); done |
    dd of="$block.copy" bs=1048576 conv=fsync 2>/dev/null && echo "disk_speed $((26844 / ($(clock) - begun + 1)))"
fi
rm -f "$block" "$block.copy"
begun=$(clock) part=0
while [ $part -lt "${cores:-1}" ]; do
  head -c 33554432 /dev/zero | sha256sum > /dev/null &
  part=$((part + 1))
done
wait
echo "cpu_speed $((part * 3355 / ($(clock) - begun + 1)))"
"""
)
"""Questions to a machine, for any POSIX shell. Each GPU has its own device, except under Windows; one of NVIDIA's may
also have one for rendering. Speeds are in MB/s:
of 256 MiB in 32 parts, and of 32 MiB a core.
"""
DOWNLOAD: Final = (
    CLOCK
    + """
if command -v curl > /dev/null; then get="curl -s -L -m $seconds"; else get="timeout $seconds wget -q -O -"; fi
begun=$(clock)
bytes=$($get "$url" 2>/dev/null | wc -c)
echo "$((bytes * 8 / 10000 / ($(clock) - begun + 1)))"
"""
)
"""Mbit/s of `url`, over at most `seconds`."""
PROBE: Final = "if command -v python3 > /dev/null; then exec python3 -; fi; cat > /dev/null; echo none"


class MachineUnreachable(GpuMarketError):
    """A machine's hardware cannot be read over SSH."""

    default_remedy = "Check its SSH: `gpu-market job JOB --connection`; `stop --issue unreachable` reports it."


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineAnswers:
    """A machine's own answers, by the words of SCRIPT, and the measurements; None where nothing was measured."""

    told: dict[str, str]
    figures: Probed
    up_mbps: int = 0
    """Speed to this computer, whose own line may be the slower one. 0 if no data arrived."""
    down_mbps: int = 0
    download_mbps: int | None = None
    """Download speed from a URL; None without one."""


async def ask(connection: Connection, url: str | None = None) -> MachineAnswers:
    """Asks a machine all questions, one after another. MachineUnreachable."""
    try:
        async with logged_in(connection) as machine:
            told = await _said(machine, SCRIPT)
            printed = await _said(machine, PROBE, probe_text())
            return MachineAnswers(
                told={word: value.strip() for word, _, value in (line.partition(" ") for line in told.splitlines())},
                figures=_figures(printed),
                up_mbps=await _up_mbps(machine),
                down_mbps=await _down_mbps(machine),
                download_mbps=None if url is None else await _download_mbps(machine, url),
            )
    except (OSError, TimeoutError, asyncssh.Error) as error:
        place = f"{connection.host}:{connection.port}"
        raise MachineUnreachable(
            f"The machine at {place} does not answer: {str(error) or type(error).__name__}"
        ) from error


def _figures(printed: str) -> Probed:
    return Probed((), NO_PYTHON) if printed.strip() == "none" else read_figures(printed)


async def _said(machine: asyncssh.SSHClientConnection, command: str, sent: str = "") -> str:
    parts: list[str] = []
    async with _running(machine, command, errors="replace") as process:
        process.stdin.write(sent)
        process.stdin.write_eof()
        while part := await process.stdout.read(CHUNK):
            parts.append(part)
            if sum(map(len, parts)) > MOST_CHARACTERS:
                raise MachineUnreachable(f"The machine's answer has more than {MOST_CHARACTERS} characters")
    return "".join(parts)


@asynccontextmanager
async def _running(
    machine: asyncssh.SSHClientConnection, command: str, **how: Any
) -> AsyncIterator[asyncssh.SSHClientProcess[Any]]:
    """A command on the machine, for at most SECONDS: its end is not awaited, as a host may hold it back."""
    async with asyncio.timeout(SECONDS):
        process = await machine.create_process(command, stderr=asyncssh.DEVNULL, **how)
        try:
            yield process
        finally:
            process.close()


async def _up_mbps(machine: asyncssh.SSHClientConnection) -> int:
    async with _running(machine, f"head -c {LINE_BYTES} /dev/urandom", encoding=None) as process:
        got = len(await process.stdout.read(CHUNK))
        begun = time.monotonic()
        while time.monotonic() - begun < LINE_SECONDS and (part := await process.stdout.read(CHUNK)):
            got += len(part)
        took = time.monotonic() - begun
    return _mbps(got, took)


async def _down_mbps(machine: asyncssh.SSHClientConnection) -> int:
    part = os.urandom(CHUNK)
    sent = 0
    async with _running(machine, "cat > /dev/null", encoding=None) as process:
        begun = time.monotonic()
        while sent < LINE_BYTES and time.monotonic() - begun < LINE_SECONDS:
            process.stdin.write(part)
            await process.stdin.drain()
            sent += CHUNK
        process.stdin.write_eof()
        done = await process.wait()
        took = time.monotonic() - begun
    return _mbps(sent, took) if done.exit_status == 0 else 0


async def _download_mbps(machine: asyncssh.SSHClientConnection, url: str) -> int:
    said = await _said(machine, f"url={shlex.quote(url)} seconds={DOWNLOAD_SECONDS}\n{DOWNLOAD}")
    return whole_number(said.strip()) or 0


def _mbps(size: int, seconds: float) -> int:
    return round(size * 8 / MEGABIT / max(seconds, 1e-3))
