"""The embedded cluster as a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from xprocess import ProcessStarter, XProcess

from tests.processes.ports import free_ports

ROOT = Path(__file__).parents[2]


@contextmanager
def running(xprocess: XProcess, *arguments: str) -> Iterator[tuple[str, str]]:
    """A cluster started with these arguments until the block ends: where it answers over HTTP and WebSocket."""
    port = free_ports(2)

    class Starter(ProcessStarter):  # type: ignore[misc]
        pattern = '"ready": true'
        timeout = 60
        terminate_on_interrupt = True
        args: ClassVar = [sys.executable, "-m", "localnet", "--port", str(port), "--json", *arguments]
        popen_kwargs: ClassVar = {"cwd": str(ROOT)}

    name = f"localnet-{port}"
    xprocess.ensure(name, Starter)
    try:
        yield f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port + 1}"
    finally:
        xprocess.getinfo(name).terminate()
