"""Failures of a Docker engine, in the agent's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from typing import Final

from aiodocker import DockerError
from aiohttp import ClientError

from host_agent.errors import MachineFault, Unproven

NOT_THERE: Final = 404
PORT_TAKEN: Final = re.compile("address already in use|port is already allocated")
UNREACHABLE: Final = 900
"""The library's own status, for an engine that does not answer."""


@contextmanager
def engine_errors(*, failed: str = "The Docker engine failed", unproven: bool = False) -> Iterator[None]:
    """Raises MachineFault where the engine fails, `failed` first in its message. With `unproven` it is Unproven
    unless the engine is away: neither its messages nor its silence tell whose fault that is.
    """
    try:
        yield
    except DockerError as error:
        if error.status == UNREACHABLE:
            raise MachineFault(error.message) from error
        message = f"{failed}: {error.message}"
        remedy = None
        if PORT_TAKEN.search(error.message):
            message = f"A port of the order is taken on this machine: {error.message}"
            remedy = "End the program that uses it, or give the listing other ports with --first-port."
        raise (Unproven(message, remedy, said=error.message) if unproven else MachineFault(message, remedy)) from error
    except JSONDecodeError as error:  # the library reads a failure's message, which an answer to HEAD has not
        raise MachineFault(f"{failed}, without saying why") from error
    except TimeoutError as error:
        message = "The Docker engine did not answer in time"
        raise (Unproven(message) if unproven else MachineFault(message)) from error
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
