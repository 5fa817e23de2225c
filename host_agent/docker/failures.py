"""Failures of a Docker engine, in the agent's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from aiodocker import DockerError
from aiohttp import ClientError

from host_agent.errors import MachineFault, OrderRefused

NOT_THERE: Final = 404
PORT_TAKEN: Final = re.compile("address already in use|port is already allocated")
CANNOT_BE_RUN: Final = "unable to start container process: exec:"
"""The runtime's messages about a program of the image; the engine reports some of them as its own failure."""
UNREACHABLE: Final = 900
"""The library's own status, for an engine that does not answer."""


@contextmanager
def engine_errors(orders_fault: Sequence[int] = (), *, failed: str = "The Docker engine failed") -> Iterator[None]:
    """Raises MachineFault where the engine fails, `failed` first in its message, and OrderRefused for statuses that are
    the order's fault."""
    try:
        yield
    except DockerError as error:
        if error.status in orders_fault or (orders_fault and CANNOT_BE_RUN in error.message):
            raise OrderRefused(f"The engine refuses the order: {error.message}") from error
        if error.status == UNREACHABLE:
            raise MachineFault(error.message) from error
        if PORT_TAKEN.search(error.message):
            raise MachineFault(
                f"A port of the order is taken on this machine: {error.message}",
                "End the program that uses it, or give the listing other ports with --first-port.",
            ) from error
        raise MachineFault(f"{failed}: {error.message}") from error
    except (ClientError, OSError) as error:
        raise MachineFault(f"The Docker engine cannot be reached: {error}") from error


@contextmanager
def already_gone() -> Iterator[None]:
    """Ignores 404 on removal."""
    try:
        yield
    except DockerError as error:
        if error.status != NOT_THERE:
            raise
