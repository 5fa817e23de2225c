"""Agents of one machine share its firewall's rules, so they need the same: else each would undo the others'."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from host_agent.egress import Egress
from host_agent.errors import HostConfigurationError

SOCKETS: Final = Path("/proc/net/unix")
"""The sockets of this network, which has one firewall; a name that begins with @ ends with its process."""
NAME: Final = "gpu-market-egress-"


@contextmanager
def sharing_the_firewall(egress: Egress) -> Iterator[None]:
    """Announces the rules to other agents. HostConfigurationError if one of them has set different ones."""
    if egress.is_open:
        yield
        return
    allowed = sorted(str(network) for network in egress.allowed)
    rules = NAME + sha256(" ".join(allowed).encode()).hexdigest()[:16]
    with socket.socket(socket.AF_UNIX) as announced:
        announced.bind(f"\0{rules}-{os.getpid()}-{id(announced)}")
        # After the own name is there: of two that start at once, at least one sees the other.
        if any(not name.startswith(rules) for name in _names()):
            raise HostConfigurationError(
                "Another agent on this machine isolates its tenants by other rules",
                "Run both with the same --allow-egress.",
            )
        yield


def _names() -> list[str]:
    named = (line.rpartition(" @")[2] for line in SOCKETS.read_text("utf-8", "replace").splitlines())
    return [name for name in named if name.startswith(NAME)]
