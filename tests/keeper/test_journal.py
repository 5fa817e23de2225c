"""Contents of the journal."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from solders.pubkey import Pubkey
from solders.signature import Signature

from keeper.errors import StateDirectoryBusy
from keeper.journal import Intent, JournalEntry, open_journal


def entry(number: int) -> JournalEntry:
    """A transaction that ends two rentals."""
    intents = tuple(Intent(Pubkey.new_unique(), "finalize_rental", 20_000) for _ in range(2))
    return JournalEntry(Signature(bytes([number]) * 64), b"wire", 150 + number, 5_000, intents)


async def test_record__reopened__is_found_again(tmp_path: Path) -> None:
    written = [entry(1), entry(2)]
    async with open_journal(tmp_path) as journal:
        for one in written:
            await journal.record(one)
    async with open_journal(tmp_path) as journal:
        found = await journal.entries()
    assert sorted(found, key=lambda one: one.last_valid_block_height) == [
        JournalEntry(one.signature, one.wire, one.last_valid_block_height, one.fee, intents_of(found, one))
        for one in written
    ]
    assert [set(intents_of(found, one)) for one in written] == [set(one.intents) for one in written]


async def test_remove__one_of_two__leaves_the_other(tmp_path: Path) -> None:
    first, second = entry(1), entry(2)
    async with open_journal(tmp_path) as journal:
        await journal.record(first)
        await journal.record(second)
        await journal.remove(first.signature)
        [left] = await journal.entries()
    assert left.signature == second.signature and set(left.intents) == set(second.intents)


async def test_record__many_beside_each_other__each_is_whole_or_not_there(tmp_path: Path) -> None:
    entries = [entry(number) for number in range(200)]
    twice = entries[100].intents[:1] * 2
    entries[100] = replace(entries[100], intents=twice)
    async with open_journal(tmp_path) as journal:
        results = await asyncio.gather(*(journal.record(one) for one in entries), return_exceptions=True)
        assert [isinstance(result, sqlite3.IntegrityError) for result in results] == [n == 100 for n in range(200)]
        await asyncio.gather(*(journal.remove(one.signature) for one in entries[1::2]))
    async with open_journal(tmp_path) as journal:
        left = {one.signature: set(one.intents) for one in await journal.entries()}
    assert left == {one.signature: set(one.intents) for one in entries[::2] if one.intents != twice}


async def test_open_journal__directory_in_use__is_refused_until_it_is_free(tmp_path: Path) -> None:
    async with open_journal(tmp_path):
        with pytest.raises(StateDirectoryBusy):
            async with open_journal(tmp_path):
                pytest.fail("two keepers write to one journal")
    async with open_journal(tmp_path) as journal:
        assert await journal.entries() == []


async def test_open_journal__no_directory__keeps_to_itself() -> None:
    async with open_journal(None) as first, open_journal(None) as second:
        await first.record(entry(1))
        assert await second.entries() == []


def intents_of(found: list[JournalEntry], wanted: JournalEntry) -> tuple[Intent, ...]:
    """The intents of an entry as they were found, in whatever order."""
    return next(one.intents for one in found if one.signature == wanted.signature)
