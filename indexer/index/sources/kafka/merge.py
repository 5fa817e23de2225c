"""Merges what sources send: slots are released in order, each once enough sources agree on what it holds.

What is released depends on the messages and their order alone, so every reader of a topic releases the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from indexer.errors import IndexerError, MarksMissing, SourcesDiffer
from indexer.index.sources.kafka.messages import Mark, Message, SentTransaction
from indexer.index.sources.kafka.runs import Runs
from indexer.index.transaction import Transaction

Content = dict[str, Transaction]
"""A source's transactions of a slot, by signature."""


@dataclass(slots=True)
class _Open:
    """A slot that is not released."""

    offset: int
    """Of its first message."""
    sent: defaultdict[str, Content] = field(default_factory=lambda: defaultdict(dict))


@dataclass(frozen=True, slots=True)
class _Released:
    """A slot that is not settled."""

    offset: int
    transactions: tuple[Transaction, ...]


class Merger:
    """Releases slots from `next_slot` on, each once `agree` sources have marked it and sent the same of it.

    Where two sets of sources are large enough and differ, nobody is believed. Marks whose transactions may stand before
    `trusted_offset`, which a topic no longer has, count for nothing.
    """

    def __init__(self, next_slot: int, *, agree: int = 1, trusted_offset: int = 0) -> None:
        self.next_slot = next_slot
        """The first slot that is not released."""
        self.held = 0
        """Transactions that are released and not settled."""
        self._agree = agree
        self._trusted_offset = trusted_offset
        self._settled = next_slot - 1
        self._position = 0
        self._open: dict[int, _Open] = {}
        self._released: dict[int, _Released] = {}
        self._runs: defaultdict[str, Runs] = defaultdict(Runs)
        self._marks: list[tuple[int, int]] = []
        """Last slot and offset of each mark that is not settled."""
        self._differing: Mapping[str, int] = {}
        """Transactions in the next slot by source, where they differ."""

    def add(self, offset: int, message: Message) -> bool:
        """Takes the message at an offset; True if it releases transactions."""
        self._position = offset + 1
        if isinstance(message, SentTransaction):
            self._send(offset, message.source, message.transaction)
            return False
        held = self.held
        self._mark(offset, message)
        return self.held > held

    def between(self, first: tuple[int, int], last_slot: int) -> list[Transaction]:
        """Released transactions behind a place, up to and including a slot, in the chain's order."""
        return [
            transaction
            for slot, released in self._released.items()
            if first[0] <= slot <= last_slot
            for transaction in released.transactions
            if (slot, transaction.index) > first
        ]

    def settle(self, slot: int) -> None:
        """Everything up to `slot`, as far as it is released, is in the database."""
        self._settled = max(self._settled, min(slot, self.next_slot - 1))
        for each in [each for each in self._released if each <= self._settled]:
            self.held -= len(self._released.pop(each).transactions)
        self._marks = [mark for mark in self._marks if mark[0] > self._settled]

    @property
    def is_settled(self) -> bool:
        """True where everything that is released is in the database."""
        return self._settled == self.next_slot - 1

    @property
    def settled(self) -> tuple[int, int]:
        """First slot that is not settled, and the offset from which on everything stands that concerns it or later."""
        kept = [
            *(each.offset for each in self._open.values()),
            *(each.offset for each in self._released.values()),
            *(offset for _, offset in self._marks),
        ]
        return self._settled + 1, min(kept, default=self._position)

    @property
    def problem(self) -> IndexerError | None:
        """Reason why the next slot is not released, if it is more than that nobody has got there."""
        if self._differing:
            return SourcesDiffer(self.next_slot, self._agree, self._differing)
        later = [runs.next_from(self.next_slot) for runs in self._runs.values()]
        if any(slot is not None for slot in later):
            return MarksMissing(self.next_slot)
        return None

    def _send(self, offset: int, source: str, transaction: Transaction) -> None:
        slot = transaction.slot
        if slot < self.next_slot:
            return
        opened = self._open.setdefault(slot, _Open(offset))
        # Equal ones are kept once, however many sources send them.
        same = (content.get(transaction.signature) for content in opened.sent.values())
        kept = next((each for each in same if each == transaction), transaction)
        opened.sent[source][transaction.signature] = kept

    def _mark(self, offset: int, mark: Mark) -> None:
        if mark.last < self.next_slot:
            return
        if mark.begins is not None and mark.begins < self._trusted_offset:
            return
        self._marks.append((mark.last, offset))
        self._runs[mark.source].add(mark.first, mark.last)
        # Behind a slot that one source lacks, another's run may go on.
        released = -1
        while released != self.next_slot:
            released = self.next_slot
            self._release()

    def _release(self) -> None:
        """Releases as far as enough sources have marked and agree."""
        self._differing = {}
        reach = {source: runs.last_from(self.next_slot) for source, runs in self._runs.items()}
        if len(reach) < self._agree:
            return
        last = sorted(reach.values(), reverse=True)[self._agree - 1]
        for slot in sorted(slot for slot in self._open if slot <= last):
            known = {source: self._open[slot].sent.get(source, {}) for source, until in reach.items() if until >= slot}
            groups = _alike(known.values())
            agreed = [content for content, count in groups if count >= self._agree]
            if len(agreed) != 1:
                self._differing = {source: len(content) for source, content in known.items()}
                last = slot - 1
                break
            self._take(slot, agreed[0])
        self.next_slot = max(self.next_slot, last + 1)
        for runs in self._runs.values():
            runs.forget(self.next_slot)

    def _take(self, slot: int, content: Content) -> None:
        opened = self._open.pop(slot)
        if content:
            transactions = tuple(sorted(content.values(), key=lambda each: each.index))
            self._released[slot] = _Released(opened.offset, transactions)
            self.held += len(transactions)


def _alike(contents: Iterable[Content]) -> Sequence[tuple[Content, int]]:
    """Each content with the number of times that it is there."""
    groups: list[tuple[Content, int]] = []
    for content in contents:
        place = next((place for place, (known, _) in enumerate(groups) if known == content), None)
        if place is None:
            groups.append((content, 1))
        else:
            groups[place] = content, groups[place][1] + 1
    return groups
