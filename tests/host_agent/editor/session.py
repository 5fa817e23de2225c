"""An editor's work on a machine, from its first window to its last."""

from __future__ import annotations

import asyncio
import os
import platform
from pathlib import Path

from tests.host_agent.editor.client import Machine, Window, connected, echoes, greeting, window
from tests.processes.ports import free_ports

CHANNELS = 5
SIZES = (1, 125, 126, 70_000, 300_000)


async def works(machine: Machine, home: str, folder: Path) -> int:
    """Everything that an editor does; the number of its server there, which keeps running."""
    async with window(machine, None, folder / "first") as first:
        assert (first.facts["started"], first.facts["arch"]) == ("1", platform.machine())
        assert first.facts["home"] == home
        await _talks(first)
    # The window is gone and its server is not: the next ones find it, two at a time and by other shells.
    here = free_ports()
    async with window(machine, "bash", folder / "second", "-L", f"{here}:127.0.0.1:{first.port}") as second:
        assert second.facts == {**first.facts, "started": "0"}
        await asyncio.gather(*[echoes(await connected(here), _messages()) for _ in range(CHANNELS)])
        async with window(machine, "sh", folder / "third") as third:
            assert third.facts == second.facts
            await asyncio.gather(_talks(second), _talks(third))
        await echoes(await connected(here), [b"still here"])
    await _moves_files(machine, folder)
    return int(first.facts["pid"])


async def _talks(opened: Window) -> None:
    """Several connections at once, by both names of the machine's own, of which some move much."""
    names = [(b"127.0.0.1", b"localhost")[each % 2] for each in range(CHANNELS)]
    talking = [echoes(await opened.connection(name), _messages()) for name in names]
    answer, _ = await asyncio.gather(greeting(await opened.connection()), asyncio.gather(*talking))
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n") and b"\r\n\r\nthe editor's server " in answer


def _messages() -> list[bytes]:
    """Of all lengths that a WebSocket writes in its own way."""
    return [os.urandom(size) for size in SIZES]


async def _moves_files(machine: Machine, folder: Path) -> None:
    sent, back = folder / "sent", folder / "back"
    sent.write_bytes(os.urandom(SIZES[-1]))
    await machine.run("scp", str(sent), ":.editor-server/by-scp")
    listed = await machine.run("sftp", "-b", "-", ":", given=b"cd .editor-server\nrename by-scp moved\nls -1\n")
    assert {"moved", "server.pl"} <= set(listed.out.split())
    await machine.run("scp", ":.editor-server/moved", str(back))
    assert back.read_bytes() == sent.read_bytes()
