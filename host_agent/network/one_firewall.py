"""Agents of one machine share its firewall's rules, so they need the same: else each would undo the others'."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Final

from host_agent.announcement import announced
from host_agent.errors import HostConfigurationError
from host_agent.network.egress import Egress

NAME: Final = "gpu-market-egress-"


@contextmanager
def sharing_the_firewall(egress: Egress) -> Iterator[None]:
    """Announces the rules to other agents. HostConfigurationError if one of them has set different ones."""
    if egress.is_open:
        yield
        return
    allowed = sorted(str(network) for network in egress.allowed)
    rules = sha256(" ".join(allowed).encode()).hexdigest()[:16]
    with announced(NAME, rules) as known:
        if {*known} != {rules}:
            raise HostConfigurationError(
                "Another agent on this machine isolates its tenants by other rules",
                "Run both with the same --allow-egress.",
            )
        yield
