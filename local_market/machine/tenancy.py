"""The tenant of a simulated machine, in a file: `up` takes them up again when it restarts."""

from __future__ import annotations

import random
import secrets
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

import msgspec
from msgspec import Struct

from anchor_client.orders import OrderDocument
from anchor_client.service.private_files import replace_file
from host_agent.errors import MachineFault
from host_agent.settings.machine import PORTS_PER_MACHINE
from local_market.stack.ports import LOOPBACK

PASSWORD_BYTES: Final = 18
FIRST_PORTS: Final = range(20_000, 32_000, PORTS_PER_MACHINE)
"""Below the ports that systems give to connections."""
TRIES: Final = 100


class HeldPorts:
    """A machine's ports, bound but not listened on: nobody else gets them before its servers listen."""

    def __init__(self, first: int, sockets: Sequence[socket.socket]) -> None:
        self.first = first
        self._sockets = sockets

    @classmethod
    def somewhere(cls) -> Self:
        """Ports at random: several markets may run on this computer. MachineFault if none are free."""
        for _ in range(TRIES):
            first = random.choice(FIRST_PORTS)
            with ExitStack() as stack:
                sockets = [stack.enter_context(socket.socket()) for _ in range(PORTS_PER_MACHINE)]
                if all(_binds(each, port) for port, each in enumerate(sockets, first)):
                    stack.pop_all()
                    return cls(first, sockets)
        raise MachineFault("This computer has no free ports for a simulated machine", "Stop what listens on them.")

    def release(self) -> None:
        """Lets them go; servers that listen keep theirs."""
        for each in self._sockets:
            each.close()


def _binds(held: socket.socket, port: int) -> bool:
    try:
        held.bind((LOOPBACK, port))
    except OSError:
        return False
    # Only from now on: this process's own servers bind the port once more, and another market finds it taken.
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return True


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
    def begun(cls, rental: str) -> tuple[Self, HeldPorts]:
        """A new one, with ports that are held for it. MachineFault without free ones."""
        held = HeldPorts.somewhere()
        return cls(rental=rental, first_port=held.first, password=secrets.token_urlsafe(PASSWORD_BYTES)), held

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
