"""Leadership: of several keepers that share a lock, one acts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import StrEnum

import structlog

from anchor_client.service.leader_lock import HEARTBEATS, LeaderLock, LeaderLockUnreachable, open_lock
from anchor_client.service.supervision import Turns
from keeper.settings import KeeperSettings

PURPOSE = "keeper"

log = structlog.get_logger(__name__)


class Role(StrEnum):
    """Role of a keeper that has a leader lock."""

    LEADING = "leading"
    STANDING_BY = "standing_by"
    """Another keeper leads."""
    RACING = "racing"
    """The lock cannot be reached: every keeper acts, which is safe since the chain pays no ending twice."""


class Leadership:
    """A keeper's part in a lock; one without a lock always acts. `on_role` is called with each new role."""

    def __init__(
        self,
        lock: LeaderLock | None,
        lease_seconds: float,
        on_role: Callable[[Role], None],
        turns: Turns | None = None,
    ) -> None:
        self._turns = turns or Turns()
        self._lock = lock
        self._beat = lease_seconds / HEARTBEATS
        self._on_role = on_role
        self._acts = asyncio.Event()
        if lock is None:
            self._acts.set()
        self.role: Role | None = None

    @property
    def acts(self) -> bool:
        """True while this keeper may act."""
        return self._acts.is_set()

    async def until_acting(self) -> None:
        """Waits until this keeper may act."""
        await self._acts.wait()

    async def decide(self) -> None:
        """Takes or renews the lock, if there is one. LeaderLockUnusable if it cannot work."""
        if self._lock is None:
            return
        try:
            role = Role.LEADING if await self._lock.hold() else Role.STANDING_BY
            error = None
        except LeaderLockUnreachable as unreachable:
            role = Role.RACING
            error = unreachable
        if role is not self.role:
            self._become(role, error)

    async def keep(self) -> None:
        """Repeats the decision until cancelled."""
        while self._lock is not None:
            await asyncio.sleep(self._beat)
            with self._turns:
                await self.decide()

    def _become(self, role: Role, error: LeaderLockUnreachable | None) -> None:
        self.role = role
        if error is None:
            log.info("leader_role", role=str(role))
        else:
            log.warning("leader_lock_unreachable", role=str(role), error=error.message)
        self._on_role(role)
        if role is Role.STANDING_BY:
            self._acts.clear()
        else:
            self._acts.set()


@asynccontextmanager
async def open_leadership(
    settings: KeeperSettings, on_role: Callable[[Role], None], turns: Turns | None = None
) -> AsyncIterator[Leadership]:
    """The part in the settings' lock, decided once and released at the end; `turns` counts checks of it.
    LeaderLockUnusable.
    """
    lease = settings.leader_lease_seconds
    lock = None
    if settings.leader_lock is not None:
        lock = open_lock(settings.leader_lock, PURPOSE, settings.program_id, lease)
    leadership = Leadership(lock, lease, on_role, turns)
    try:
        await leadership.decide()
        yield leadership
    finally:
        if lock is not None:
            await lock.close()
