"""A Redis server of the test's own, from the machine's packages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from xprocess import ProcessStarter, XProcess

from tests.processes.ports import free_ports


def require() -> str:
    """The server's binary; skips where there is none, and fails instead in CI."""
    found = shutil.which("redis-server")
    if found is not None:
        return found
    if os.environ.get("CI") == "true":
        pytest.fail("no Redis server is installed")
    pytest.skip("no Redis server is installed")


@contextmanager
def server(xprocess: XProcess, binary: str, directory: Path) -> Iterator[str]:
    """A server; gives its URL."""
    port = free_ports()

    class Starter(ProcessStarter):
        pattern = "Ready to accept connections"
        timeout = 30
        terminate_on_interrupt = True
        args = (binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(directory), "--save", "")

    name = f"redis-{port}"
    xprocess.ensure(name, Starter)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        xprocess.getinfo(name).terminate()
