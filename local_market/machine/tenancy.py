"""The tenant of a simulated machine, in a file: `up` goes on with them when it starts again."""

from __future__ import annotations

import random
import secrets
import socket
from pathlib import Path
from typing import Final, Self

import msgspec
from msgspec import Struct

from anchor_client.orders import OrderDocument
from anchor_client.service.private_files import replace_file
from host_agent.errors import MachineFault
from host_agent.settings import PORTS_PER_MACHINE
from local_market.stack.ports import LOOPBACK

PASSWORD_BYTES: Final = 18
FIRST_PORTS: Final = range(20_000, 32_000, PORTS_PER_MACHINE)
"""Below the ports that systems give to connections."""
TRIES: Final = 100


class TenantRecord(Struct, kw_only=True):
    """A rental with its ports, its password, and once it is provisioned its order."""

    rental: str
    first_port: int
    password: str
    order: OrderDocument | None = None
    until_exit: bool = False
    exit_code: int | None = None
    """Of the order's command, once that has ended."""

    @classmethod
    def begun(cls, rental: str) -> Self:
        """A new one, with ports that are free. MachineFault without."""
        return cls(rental=rental, first_port=_free_ports(), password=secrets.token_urlsafe(PASSWORD_BYTES))

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """The one in a file; None without."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except (FileNotFoundError, msgspec.MsgspecError):
            return None

    def save(self, path: Path) -> None:
        """Replaces the file, which is for its owner alone."""
        replace_file(path, msgspec.json.encode(self))


def _free_ports() -> int:
    """The first of a machine's ports. At random: several markets may run on this computer."""
    for _ in range(TRIES):
        first = random.choice(FIRST_PORTS)
        if all(_is_free(port) for port in range(first, first + PORTS_PER_MACHINE)):
            return first
    raise MachineFault("This computer has no free ports for a simulated machine", "Stop what listens on them.")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
