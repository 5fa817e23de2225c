"""The ledger and, when it has a directory, the accounts: one SQLite database."""

import json
import sqlite3
import zlib
from collections.abc import Iterable
from pathlib import Path

from solders.account import Account
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from localnet.memos import memo_of
from localnet.records import Json, SignatureEntry, TransactionRecord
from localnet.timeline import Segment

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS segments (first_slot INTEGER PRIMARY KEY, unix_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS accounts (
    address BLOB PRIMARY KEY, lamports TEXT NOT NULL, owner BLOB NOT NULL,
    executable INTEGER NOT NULL, rent_epoch TEXT NOT NULL, data BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS transactions (
    slot INTEGER NOT NULL, idx INTEGER NOT NULL, signature BLOB NOT NULL UNIQUE,
    err TEXT, memo TEXT, body BLOB NOT NULL, meta BLOB NOT NULL, PRIMARY KEY (slot, idx)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS addresses (
    address BLOB NOT NULL, slot INTEGER NOT NULL, idx INTEGER NOT NULL, PRIMARY KEY (address, slot, idx)
) WITHOUT ROWID;
"""


class Store:
    """Reads and writes the database; rows of one slot become durable together, with `commit`.

    Without a directory the ledger lives in memory and keeps the last `retained` transactions.
    """

    def __init__(self, directory: Path | None = None, *, retained: int = 100_000) -> None:
        self.durable = directory is not None
        self._retained = retained
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)
        path = ":memory:" if directory is None else str(directory / "localnet.sqlite3")
        self._db = sqlite3.connect(path)
        self._db.execute("PRAGMA journal_mode=WAL")
        # Slots are lost with the power at most, never the file.
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(SCHEMA)
        row = self._db.execute("SELECT COUNT(*), MIN(slot) FROM transactions").fetchone()
        self._held: int = row[0]
        self.first_slot: int = int(self.get("first_slot") or 0)

    def close(self) -> None:
        """Commits and closes the database."""
        self.commit()
        self._db.close()

    def commit(self) -> None:
        """Prunes an in-memory ledger and makes everything written so far durable."""
        # Not at every slot: a tenth more is let grow, so that pruning is rare.
        if not self.durable and self._held > self._retained * 11 // 10:
            self._prune()
        self._db.commit()

    def get(self, key: str) -> str | None:
        """A value of the cluster's own state."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, key: str, value: str) -> None:
        """Sets a value of the cluster's own state."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def segments(self) -> list[Segment]:
        """The timeline so far, oldest first."""
        rows = self._db.execute("SELECT first_slot, unix_ms FROM segments ORDER BY first_slot")
        return [Segment(*row) for row in rows]

    def add_segment(self, segment: Segment) -> None:
        """Appends to the timeline."""
        self._db.execute("INSERT INTO segments VALUES (?, ?)", (segment.first_slot, segment.unix_ms))

    def accounts(self) -> Iterable[tuple[Pubkey, Account]]:
        """Every stored account, executables last so that their code is present when they load."""
        query = "SELECT address, lamports, data, owner, executable, rent_epoch FROM accounts ORDER BY executable"
        for address, lamports, data, owner, executable, rent_epoch in self._db.execute(query):
            yield Pubkey(address), Account(int(lamports), data, Pubkey(owner), bool(executable), int(rent_epoch))

    def put_account(self, address: Pubkey, account: Account | None) -> None:
        """Stores an account, or forgets it when it is None."""
        if account is None:
            self._db.execute("DELETE FROM accounts WHERE address = ?", (bytes(address),))
            return
        row = (
            bytes(address),
            # SQLite's integers have 63 bits, and lamports and rent epochs 64.
            str(account.lamports),
            bytes(account.owner),
            account.executable,
            str(account.rent_epoch),
            account.data,
        )
        self._db.execute("INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?)", row)

    def append(self, record: TransactionRecord) -> None:
        """Adds a landed transaction to the ledger."""
        err = None if record.err is None else json.dumps(record.err)
        meta = zlib.compress(json.dumps(record.meta, separators=(",", ":")).encode(), 1)
        body = bytes(record.transaction)
        row = (record.slot, record.index, bytes(record.signature), err, memo_of(record.transaction), body, meta)
        self._db.execute("INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        keys = {bytes(key) for key in record.account_keys()}
        self._db.executemany("INSERT INTO addresses VALUES (?, ?, ?)", [(key, row[0], row[1]) for key in keys])
        self._held += 1

    def transaction(self, signature: Signature) -> TransactionRecord | None:
        """One transaction by its first signature."""
        query = "SELECT slot, idx, body, meta FROM transactions WHERE signature = ?"
        row = self._db.execute(query, (bytes(signature),)).fetchone()
        return None if row is None else _record(row)

    def entry(self, signature: Signature) -> SignatureEntry | None:
        """A transaction's line in an address's history (slot, index and error), by its first signature."""
        query = "SELECT slot, idx, err FROM transactions WHERE signature = ?"
        row = self._db.execute(query, (bytes(signature),)).fetchone()
        if row is None:
            return None
        return SignatureEntry(signature, row[0], row[1], _error(row[2]))

    def block(self, slot: int) -> list[TransactionRecord]:
        """The transactions of a slot in the order they ran."""
        query = "SELECT slot, idx, body, meta FROM transactions WHERE slot = ? ORDER BY idx"
        return [_record(row) for row in self._db.execute(query, (slot,))]

    def count_until(self, slot: int) -> int:
        """Number of transactions that landed in slots up to `slot`, pruned ones included."""
        row = self._db.execute("SELECT COUNT(*) FROM transactions WHERE slot > ?", (slot,)).fetchone()
        return self._held + int(self.get("pruned") or 0) - int(row[0])

    def history(
        self,
        address: Pubkey,
        *,
        newest_slot: int,
        limit: int,
        before: tuple[int, int] | None = None,
        until: tuple[int, int] | None = None,
    ) -> list[SignatureEntry]:
        """Transactions naming an address, newest first, strictly between two (slot, index) positions."""
        upper = before or (newest_slot + 1, 0)
        lower = until or (-1, 0)
        query = """
            SELECT t.signature, t.slot, t.idx, t.err, t.memo FROM addresses a
            JOIN transactions t ON t.slot = a.slot AND t.idx = a.idx
            WHERE a.address = ? AND (a.slot, a.idx) < (?, ?) AND (a.slot, a.idx) > (?, ?) AND a.slot <= ?
            ORDER BY a.slot DESC, a.idx DESC LIMIT ?
        """
        rows = self._db.execute(query, (bytes(address), *upper, *lower, newest_slot, limit))
        return [SignatureEntry(Signature(row[0]), row[1], row[2], _error(row[3]), row[4]) for row in rows]

    def _prune(self) -> None:
        query = "SELECT slot FROM transactions ORDER BY slot DESC, idx DESC LIMIT 1 OFFSET ?"
        (slot,) = self._db.execute(query, (self._retained,)).fetchone()
        removed = self._db.execute("DELETE FROM transactions WHERE slot <= ?", (slot,)).rowcount
        self._db.execute("DELETE FROM addresses WHERE slot <= ?", (slot,))
        self._held -= removed
        self.first_slot = slot + 1
        self.put("first_slot", str(self.first_slot))
        self.put("pruned", str(int(self.get("pruned") or 0) + removed))


def _record(row: tuple[int, int, bytes, bytes]) -> TransactionRecord:
    slot, index, body, meta = row
    transaction = VersionedTransaction.from_bytes(body)
    return TransactionRecord(transaction.signatures[0], slot, index, transaction, json.loads(zlib.decompress(meta)))


def _error(text: str | None) -> Json:
    return None if text is None else json.loads(text)
