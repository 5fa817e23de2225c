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
from keeper.errors import BudgetSpent, KeeperConfigurationError, StateDirectoryBusy

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
CREATE TABLE IF NOT EXISTS spending (
    signature TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    lamports INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS lookup_tables (
    number INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE IF NOT EXISTS table_creations (
    signature TEXT PRIMARY KEY,
    wire BLOB NOT NULL,
    last_valid_block_height INTEGER NOT NULL
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

    def __init__(self, database: aiosqlite.Connection, daily_budget: int | None = None) -> None:
        self._database = database
        self._daily_budget = daily_budget
        self._writing = asyncio.Lock()

    async def record(self, entry: Entry, day: int = 0) -> None:
        """Writes an entry and its fee on a UTC day atomically; it is on disk when this returns. BudgetSpent."""
        signature = str(entry.signature)
        endings = [(signature, str(intent.rental), intent.task, intent.tip) for intent in entry.intents]
        transaction = (signature, entry.wire, entry.last_valid_block_height, entry.fee)
        async with self._transaction():
            await self._spend(entry.signature, day, entry.fee)
            await self._write("INSERT INTO transactions VALUES (?, ?, ?, ?)", [transaction])
            await self._write("INSERT INTO endings VALUES (?, ?, ?, ?)", endings)

    async def spend(self, signature: Signature, day: int, lamports: int) -> None:
        """Counts what a transaction without an entry may cost on a UTC day. BudgetSpent."""
        async with self._transaction():
            await self._spend(signature, day, lamports)

    async def spent(self, day: int) -> int:
        """Lamports that the transactions of a UTC day have cost, or still may."""
        rows = await self._database.execute_fetchall(
            "SELECT coalesce(sum(lamports), 0) FROM spending WHERE day = ?", (day,)
        )
        return next(int(total) for (total,) in rows)

    async def remove(self, signature: Signature, *, is_free: bool = False) -> None:
        """Deletes a transaction whose fate is known, and what it was to cost if it has cost nothing."""
        async with self._transaction():
            if is_free:
                await self._write("DELETE FROM spending WHERE signature = ?", [(str(signature),)])
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

    async def tables(self) -> list[Pubkey]:
        """The lookup tables that this keeper has made, the newest first; one whose creation failed is not there."""
        rows = await self._database.execute_fetchall("SELECT address FROM lookup_tables ORDER BY number DESC")
        return [Pubkey.from_string(address) for (address,) in rows]

    async def add_table(self, address: Pubkey, creation: Entry) -> None:
        """Remembers a lookup table and the signed transaction that is about to make it."""
        made = (str(creation.signature), creation.wire, creation.last_valid_block_height)
        async with self._transaction():
            await self._write("INSERT OR IGNORE INTO lookup_tables (address) VALUES (?)", [(str(address),)])
            await self._write("INSERT INTO table_creations VALUES (?, ?, ?)", [made])

    async def table_creations(self) -> list[Entry]:
        """Those whose fate is unknown."""
        rows = await self._database.execute_fetchall(
            "SELECT signature, wire, last_valid_block_height FROM table_creations"
        )
        return [Entry(Signature.from_string(signature), wire, height, 0, ()) for signature, wire, height in rows]

    async def end_table_creation(self, signature: Signature, *, is_free: bool = False) -> None:
        """Deletes a creation whose fate is known, and what it was to cost if it has cost nothing."""
        async with self._transaction():
            if is_free:
                await self._write("DELETE FROM spending WHERE signature = ?", [(str(signature),)])
            await self._write("DELETE FROM table_creations WHERE signature = ?", [(str(signature),)])

    async def keep_tables(self, addresses: Sequence[Pubkey]) -> None:
        """Forgets all lookup tables but these."""
        gone = [(str(address),) for address in await self.tables() if address not in addresses]
        async with self._transaction():
            await self._write("DELETE FROM lookup_tables WHERE address = ?", gone)

    async def _spend(self, signature: Signature, day: int, lamports: int) -> None:
        if self._daily_budget is not None and await self.spent(day) + lamports > self._daily_budget:
            raise BudgetSpent(self._daily_budget)
        await self._write("DELETE FROM spending WHERE day < ?", [(day - 1,)])
        await self._write("INSERT INTO spending VALUES (?, ?, ?)", [(str(signature), day, lamports)])

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
async def open_journal(directory: Path | None, daily_budget: int | None = None) -> AsyncIterator[Journal]:
    """The journal of a state directory, for this process alone; in memory without one.

    `daily_budget` is the most lamports that transactions may cost in a UTC day; None for no limit.
    Raises StateDirectoryBusy, or KeeperConfigurationError when the directory cannot be written.
    """
    path = MEMORY if directory is None else str(directory / FILE)
    with nullcontext() if directory is None else _locked(directory):
        async with aiosqlite.connect(path) as database:
            await database.execute("PRAGMA foreign_keys = ON")
            await database.execute("PRAGMA journal_mode = WAL")
            await database.execute("PRAGMA synchronous = FULL")
            await database.executescript(SCHEMA)
            yield Journal(database, daily_budget)


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
