"""Signed transactions that may still land, written to disk before they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiosqlite
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.lock_file import locked
from keeper.errors import KeeperConfigurationError, StateDirectoryBusy

FILE: Final = "keeper.sqlite"
LOCK: Final = "keeper.lock"
MEMORY: Final = ":memory:"
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS transactions (
    signature TEXT PRIMARY KEY,
    wire BLOB NOT NULL,
    last_valid_block_height INTEGER NOT NULL,
    fee_lamports INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS endings (
    signature TEXT NOT NULL REFERENCES transactions ON DELETE CASCADE,
    rental TEXT NOT NULL,
    task TEXT NOT NULL,
    tip_lamports INTEGER NOT NULL,
    PRIMARY KEY (signature, rental)
) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Intent:
    """A rental that a transaction ends."""

    rental: Pubkey
    task: str
    tip: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A signed transaction; it can never land after `last_valid_block_height`. Amounts in lamports."""

    signature: Signature
    wire: bytes
    last_valid_block_height: int
    fee: int
    intents: tuple[Intent, ...]


class Journal:
    """Signed transactions whose fate is unknown, in SQLite. Open it with `open_journal`."""

    def __init__(self, database: aiosqlite.Connection) -> None:
        self._database = database
        self._writing = asyncio.Lock()

    async def record(self, entry: Entry) -> None:
        """Writes an entry atomically; it is on disk when this returns."""
        signature = str(entry.signature)
        endings = [(signature, str(intent.rental), intent.task, intent.tip) for intent in entry.intents]
        transaction = (signature, entry.wire, entry.last_valid_block_height, entry.fee)
        async with self._transaction():
            await self._write("INSERT INTO transactions VALUES (?, ?, ?, ?)", [transaction])
            await self._write("INSERT INTO endings VALUES (?, ?, ?, ?)", endings)

    async def remove(self, signature: Signature) -> None:
        """Deletes a transaction whose fate is known."""
        async with self._transaction():
            await self._write("DELETE FROM transactions WHERE signature = ?", [(str(signature),)])

    async def entries(self) -> list[Entry]:
        """All transactions whose fate is unknown."""
        intents: dict[str, list[Intent]] = {}
        rows = await self._database.execute_fetchall("SELECT signature, rental, task, tip_lamports FROM endings")
        for signature, rental, task, tip in rows:
            intents.setdefault(signature, []).append(Intent(Pubkey.from_string(rental), task, tip))
        rows = await self._database.execute_fetchall(
            "SELECT signature, wire, last_valid_block_height, fee_lamports FROM transactions"
        )
        return [
            Entry(Signature.from_string(signature), wire, height, fee, tuple(intents.get(signature, ())))
            for signature, wire, height, fee in rows
        ]

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[None]:
        """Batches are signed concurrently; without the lock one would commit what another has half written."""
        async with self._writing:
            try:
                yield
            except BaseException:
                await self._database.rollback()
                raise
            await self._database.commit()

    async def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        # A cursor that is not closed would end its statement on this thread while the database's may be using it.
        cursor = await self._database.executemany(statement, rows)
        await cursor.close()


@asynccontextmanager
async def open_journal(directory: Path | None) -> AsyncIterator[Journal]:
    """The journal of a state directory, for this process alone; in memory without one.

    Raises StateDirectoryBusy, or KeeperConfigurationError when the directory cannot be written.
    """
    path = MEMORY if directory is None else str(directory / FILE)
    with nullcontext() if directory is None else _locked(directory):
        async with aiosqlite.connect(path) as database:
            await database.execute("PRAGMA foreign_keys = ON")
            await database.execute("PRAGMA journal_mode = WAL")
            await database.execute("PRAGMA synchronous = FULL")
            await database.executescript(SCHEMA)
            yield Journal(database)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(directory / LOCK, StateDirectoryBusy(directory)))
        except OSError as error:
            raise KeeperConfigurationError(
                f"The state directory {directory} cannot be written: {error.strerror}",
                "Choose another with --state-dir.",
            ) from error
        yield
