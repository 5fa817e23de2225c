"""Agents of one engine share its disk: one whose tenants nothing limits there is the only one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Final

from host_agent.announcement import announced
from host_agent.errors import HostConfigurationError

NAME: Final = "gpu-market-disk-"
LIMITED: Final = "limited"
UNLIMITED: Final = "unlimited"


@contextmanager
def sharing_the_disk(engine: str, remedy: str, *, is_limited: bool) -> Iterator[None]:
    """Announces to other agents whether this one's tenants are limited on the disk of the engine with that id.

    HostConfigurationError if there are others, and any of them all is not.
    """
    family = f"{NAME}{sha256(engine.encode()).hexdigest()[:16]}-"
    with announced(family, LIMITED if is_limited else UNLIMITED) as known:
        if len(known) > 1 and UNLIMITED in known:
            raise HostConfigurationError(
                "Another agent serves this engine, and nothing limits a tenant on its disk",
                f"Stop it, or serve its listings with this one. {remedy}",
            )
        yield
