"""Common code of all processes in a container other than its command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from aiodocker import DockerError
from aiohttp import ClientError

from host_agent.errors import MachineFault

CANNOT_RUN: Final = 126
LOGIN_SHELL: Final = "if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi"


@contextmanager
def engine_errors() -> Iterator[None]:
    """Raises MachineFault for the engine's failures."""
    try:
        yield
    except (DockerError, ClientError, OSError) as error:
        raise MachineFault(f"The container cannot be entered: {error}") from error
