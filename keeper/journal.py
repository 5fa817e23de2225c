"""Signed transactions that may still land, written to disk before they are sent."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.service.lock_file import locked
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

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Intent:
    """A rental that a transaction ends."""

    rental: Pubkey
    task: str
    tip: int


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A signed transaction; it can never land after `last_valid_block_height`. Amounts in lamports."""

    signature: Signature
    wire: bytes
    last_valid_block_height: int
    fee: int
    intents: tuple[Intent, ...]


class Journal:
    """Signed transactions whose fate is unknown, in SQLite. Open it with `open_journal`.

    One thread does all work in sequence; work that has begun is finished even if its caller is cancelled.
    """

    def __init__(self, database: sqlite3.Connection, thread: Executor, daily_budget: int | None = None) -> None:
        self._database = database
        self._thread = thread
        self._daily_budget = daily_budget

    async def record(self, entry: JournalEntry, day: int = 0) -> None:
        """Writes an entry and its fee on a UTC day atomically; it is on disk when this returns. BudgetSpent."""
        signature = str(entry.signature)
        endings = [(signature, str(intent.rental), intent.task, intent.tip) for intent in entry.intents]
        transaction = (signature, entry.wire, entry.last_valid_block_height, entry.fee)

        def write() -> None:
            self._spend(entry.signature, day, entry.fee)
            self._database.execute("INSERT INTO transactions VALUES (?, ?, ?, ?)", transaction)
            self._database.executemany("INSERT INTO endings VALUES (?, ?, ?, ?)", endings)

        await self._do(write)

    async def spend(self, signature: Signature, day: int, lamports: int) -> None:
        """Counts the maximum cost of a transaction without an entry on a UTC day. BudgetSpent."""
        await self._do(lambda: self._spend(signature, day, lamports))

    async def spent(self, day: int) -> int:
        """The possible cost of a UTC day's transactions, in lamports."""
        return await self._do(lambda: self._spent(day))

    async def remove(self, signature: Signature, *, is_free: bool = False) -> None:
        """Deletes a transaction whose fate is known, and its reserved cost if it has cost nothing."""
        await self._do(lambda: self._remove("transactions", signature, is_free))

    async def entries(self) -> list[JournalEntry]:
        """All transactions whose fate is unknown."""
        return await self._do(self._entries)

    async def tables(self) -> list[Pubkey]:
        """The lookup tables that this keeper has created, newest first, without failed creations."""
        return await self._do(self._tables)

    async def add_table(self, address: Pubkey, creation: JournalEntry) -> None:
        """Remembers a lookup table and the signed transaction that will create it."""
        made = (str(creation.signature), creation.wire, creation.last_valid_block_height)

        def write() -> None:
            self._database.execute("INSERT OR IGNORE INTO lookup_tables (address) VALUES (?)", (str(address),))
            self._database.execute("INSERT INTO table_creations VALUES (?, ?, ?)", made)

        await self._do(write)

    async def table_creations(self) -> list[JournalEntry]:
        """Creations whose fate is unknown."""
        return await self._do(self._table_creations)

    async def end_table_creation(self, signature: Signature, *, is_free: bool = False) -> None:
        """Deletes a creation whose fate is known, and its reserved cost if it has cost nothing."""
        await self._do(lambda: self._remove("table_creations", signature, is_free))

    async def keep_tables(self, addresses: Sequence[Pubkey]) -> None:
        """Forgets all lookup tables but these."""

        def write() -> None:
            gone = [(str(address),) for address in self._tables() if address not in addresses]
            self._database.executemany("DELETE FROM lookup_tables WHERE address = ?", gone)

        await self._do(write)

    async def _do(self, work: Callable[[], T]) -> T:
        """Runs work in the journal's thread, as a transaction."""

        def done() -> T:
            with self._database:
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._thread, done)

    def _spend(self, signature: Signature, day: int, lamports: int) -> None:
        if self._daily_budget is not None and self._spent(day) + lamports > self._daily_budget:
            raise BudgetSpent(self._daily_budget)
        # Yesterday's stays: what was signed before midnight may be given back after it.
        self._database.execute("DELETE FROM spending WHERE day < ?", (day - 1,))
        self._database.execute("INSERT INTO spending VALUES (?, ?, ?)", (str(signature), day, lamports))

    def _spent(self, day: int) -> int:
        total = "SELECT coalesce(sum(lamports), 0) FROM spending WHERE day = ?"
        return int(self._database.execute(total, (day,)).fetchone()[0])

    def _remove(self, table: str, signature: Signature, is_free: bool) -> None:
        if is_free:
            self._database.execute("DELETE FROM spending WHERE signature = ?", (str(signature),))
        self._database.execute(f"DELETE FROM {table} WHERE signature = ?", (str(signature),))

    def _entries(self) -> list[JournalEntry]:
        intents: dict[str, list[Intent]] = {}
        endings = self._database.execute("SELECT signature, rental, task, tip_lamports FROM endings")
        for signature, rental, task, tip in endings:
            intents.setdefault(signature, []).append(Intent(Pubkey.from_string(rental), task, tip))
        rows = self._database.execute("SELECT signature, wire, last_valid_block_height, fee_lamports FROM transactions")
        return [
            JournalEntry(Signature.from_string(signature), wire, height, fee, tuple(intents.get(signature, ())))
            for signature, wire, height, fee in rows
        ]

    def _tables(self) -> list[Pubkey]:
        rows = self._database.execute("SELECT address FROM lookup_tables ORDER BY number DESC")
        return [Pubkey.from_string(address) for (address,) in rows]

    def _table_creations(self) -> list[JournalEntry]:
        rows = self._database.execute("SELECT signature, wire, last_valid_block_height FROM table_creations")
        return [JournalEntry(Signature.from_string(signature), wire, height, 0, ()) for signature, wire, height in rows]


@asynccontextmanager
async def open_journal(directory: Path | None, daily_budget: int | None = None) -> AsyncIterator[Journal]:
    """The journal of a state directory, for this process alone; in memory without one.

    `daily_budget` is the maximum cost of transactions in a UTC day, in lamports; None for no limit. Raises
    StateDirectoryBusy, or KeeperConfigurationError when the directory cannot be written.
    """
    path = MEMORY if directory is None else str(directory / FILE)
    with (
        nullcontext() if directory is None else _locked(directory),
        ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal") as thread,
    ):
        database = await asyncio.get_running_loop().run_in_executor(thread, _opened, path)
        try:
            yield Journal(database, thread, daily_budget)
        finally:
            thread.submit(database.close)


def _opened(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("PRAGMA foreign_keys = ON")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.executescript(SCHEMA)
    return database


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
