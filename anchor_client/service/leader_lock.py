"""Locks that one process at a time can hold: in a PostgreSQL database, or a file of one machine.

Neither compares clocks: the lock belongs to a session or an open file, and ends with it.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import ExitStack
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from solders.pubkey import Pubkey

from anchor_client.service.errors import GpuMarketError
from anchor_client.service.lock_file import locked
from anchor_client.service.redaction import hide, scrub

HEARTBEATS: Final = 3
"""Looks at the lock in the time of a lease."""
_POSTGRES: Final = re.compile(r"^postgres(ql)?(\+psycopg)?://")


class LeaderLockUnusable(GpuMarketError):
    """The leader lock cannot be where it is said to be."""

    default_remedy = "Check the leader lock's location."


class LeaderLockUnreachable(GpuMarketError):
    """The holder of the leader lock is unknown."""

    default_remedy = "Until it is back, all that share it act; the loser of a race pays its fee."


class LeaderLock(Protocol):
    """A lock that one process has."""

    async def hold(self) -> bool:
        """Takes the lock or renews it; True if this process has it now. LeaderLockUnreachable if that is unknown."""

    async def close(self) -> None:
        """Gives the lock up."""


def open_lock(where: str, purpose: str, program_id: Pubkey, lease_seconds: float) -> LeaderLock:
    """The lock of a market's leaders of one purpose in a database, by its URL, or of a file. LeaderLockUnusable."""
    if _POSTGRES.match(where):
        return PostgresLock(_POSTGRES.sub("postgresql://", where), purpose, program_id, lease_seconds)
    if "://" in where:
        raise LeaderLockUnusable(
            f"The leader lock cannot be in {where.partition('://')[0]}",
            "Give the URL of a PostgreSQL database, or the path of a file that all who share it on this machine use.",
        )
    return FileLock(Path(where))


class FileLock:
    """A lock of one machine's processes: the kernel releases it when the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = ExitStack()
        self._is_held = False

    async def hold(self) -> bool:
        """LeaderLockUnusable if the file cannot be written."""
        if not self._is_held:
            try:
                self._held.enter_context(locked(self._path, BlockingIOError()))
            except BlockingIOError:
                return False
            except OSError as error:
                raise LeaderLockUnusable(
                    f"The leader lock {self._path} cannot be written: {error.strerror}", "Choose another file."
                ) from error
            self._is_held = True
        return True

    async def close(self) -> None:
        """Releases the file."""
        self._held.close()
        self._is_held = False


class PostgresLock:
    """A session's advisory lock. The server ends a session that has been silent for two thirds of the lease."""

    def __init__(self, url: str, purpose: str, program_id: Pubkey, lease_seconds: float) -> None:
        hide(url)
        try:
            self._driver: Any = import_module("psycopg")
            self._driver.conninfo.conninfo_to_dict(url)
        except ImportError as error:
            raise LeaderLockUnusable(
                "The leader lock needs the PostgreSQL driver", "Install gpu-market[postgres]."
            ) from error
        except self._driver.ProgrammingError as error:
            raise LeaderLockUnusable(scrub(f"The leader lock's URL is malformed: {error}")) from error
        self._url = url
        # PostgreSQL's advisory locks have signed keys of 64 bits, and are shared by all who use the database.
        self._key = int.from_bytes(
            sha256(f"gpu-market {purpose}".encode() + bytes(program_id)).digest()[:8], signed=True
        )
        self._patience = lease_seconds / HEARTBEATS
        self._connection: Any = None

    async def hold(self) -> bool:
        """Each success adds one to the session's count of the lock; the end of the session takes all of them back."""
        try:
            async with asyncio.timeout(self._patience):
                if self._connection is None:
                    # The server ends a session that says nothing, so a holder that hangs or is cut off loses the lock.
                    silence = int(self._patience * (HEARTBEATS - 1) * 1_000)
                    self._connection = await self._driver.AsyncConnection.connect(
                        self._url, autocommit=True, options=f"-c idle_session_timeout={silence}"
                    )
                cursor = await self._connection.execute("SELECT pg_try_advisory_lock(%s)", (self._key,))
                return bool((await cursor.fetchone())[0])
        except (self._driver.Error, OSError) as error:
            # The session is in doubt, and with it the lock: the next try asks for both.
            await self.close()
            raise LeaderLockUnreachable(scrub(str(error) or "no answer in time").strip()) from error

    async def close(self) -> None:
        """Ends the session."""
        if self._connection is not None:
            await self._connection.close()
        self._connection = None
