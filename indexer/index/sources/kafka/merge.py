"""Merges what sources send: slots are released in order, each once enough sources agree on what it holds.

What is released depends on the messages and their order alone, so every reader of a topic releases the same. What is
kept is bounded: beyond the bound, messages of later slots are let go, and read again from the topic once they are due.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Final

from indexer.errors import IndexerError, MarksMissing, SourcesBehind, SourcesDiffer
from indexer.index.sources.kafka.messages import Mark, Message, SentTransaction
from indexer.index.sources.kafka.runs import Runs
from indexer.index.transaction import Transaction

MOST_OPEN: Final = 100_000
"""Messages of slots that are not released: 150 MB to 300 MB."""

Content = dict[str, Transaction]
"""A source's transactions of a slot, by signature."""


@dataclass(slots=True)
class _Open:
    """A slot that is not released."""

    offset: int
    """Of its first message."""
    sent: defaultdict[str, Content] = field(default_factory=lambda: defaultdict(dict))
    size: int = 0


@dataclass(frozen=True, slots=True)
class _Horizon:
    """The end of what is kept: messages about `slot` or later ones are let go, and stand from `offset` on."""

    slot: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Released:
    """A slot that is not settled."""

    offset: int
    transactions: tuple[Transaction, ...]


class Merger:
    """Releases slots from `next_slot` on, each once `agree` sources have marked it and sent the same of it.

    Where two sets of sources are large enough and differ, nobody is believed. Marks whose transactions may stand before
    `trusted_offset`, which a topic no longer has, count for nothing. About `most_open` messages are kept, and what is
    released; a slot is never kept in part.
    """

    def __init__(self, next_slot: int, *, agree: int = 1, trusted_offset: int = 0, most_open: int = MOST_OPEN) -> None:
        self.agree = agree
        """Sources that must say the same of a slot."""
        self.next_slot = next_slot
        """The first slot that is not released."""
        self.held = 0
        """Messages whose slots are released and not settled."""
        self.open = 0
        """Messages that are kept until their slots are released."""
        self._trusted_offset = trusted_offset
        self._most_open = most_open
        self._settled = next_slot - 1
        self._position = 0
        self._open: dict[int, _Open] = {}
        self._order: list[int] = []
        """The open slots, as a heap."""
        self._released: dict[int, _Released] = {}
        self._runs: defaultdict[str, Runs] = defaultdict(Runs)
        self._marks: list[tuple[int, int]] = []
        """Last slot and offset of each mark that is not released, as a heap."""
        self._passed: list[tuple[int, int]] = []
        """The same of marks that are released and not settled."""
        self._horizon: _Horizon | None = None
        self._differing: Mapping[str, int] = {}
        """Transactions in the next slot by source, where they differ."""

    def add(self, offset: int, message: Message) -> bool:
        """Takes the message at an offset; True if it releases transactions."""
        self._position = offset + 1
        slots = len(self._released)
        if isinstance(message, SentTransaction):
            self._send(offset, message.source, message.transaction)
        else:
            self._mark(offset, message)
        if self.open > self._most_open:
            self._let_go()
        return len(self._released) > slots

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
        kept = [mark for mark in self._passed if mark[0] > self._settled]
        self.held -= len(self._passed) - len(kept)
        self._passed = kept

    def due(self) -> int | None:
        """Offset from which the topic has to be read again now, since all that was kept is released; None otherwise."""
        horizon = self._horizon
        if horizon is None or self.next_slot < horizon.slot:
            return None
        self._horizon = None
        self._position = horizon.offset
        return horizon.offset

    @property
    def is_settled(self) -> bool:
        """True where everything that is released is in the database."""
        return self._settled == self.next_slot - 1

    @property
    def settled(self) -> tuple[int, int]:
        """First slot that is not settled, and the offset from which on everything stands that concerns it or later."""
        kept = [
            # Before the others' where the topic is to be read again: what was let go is kept nowhere else.
            self._position,
            *(each.offset for each in self._open.values()),
            *(each.offset for each in self._released.values()),
            *(offset for _, offset in self._marks),
            *(offset for _, offset in self._passed),
        ]
        if self._horizon is not None:
            kept.append(self._horizon.offset)
        return self._settled + 1, min(kept)

    @property
    def problem(self) -> IndexerError | None:
        """Reason why the next slot is not released, if it is more than that nobody has got there."""
        if self._differing:
            return SourcesDiffer(self.next_slot, self.agree, self._differing)
        later = [runs.next_from(self.next_slot) for runs in self._runs.values()]
        if any(slot is not None for slot in later):
            return MarksMissing(self.next_slot)
        if self._horizon is not None:
            reach = {source: runs.last_from(self.next_slot) for source, runs in self._runs.items()}
            return SourcesBehind(self.next_slot, self.agree, reach, self._horizon.slot)
        return None

    def _send(self, offset: int, source: str, transaction: Transaction) -> None:
        slot = transaction.slot
        if slot < self.next_slot or self._is_beyond(slot):
            return
        opened = self._open.get(slot)
        if opened is None:
            opened = self._open[slot] = _Open(offset)
            heappush(self._order, slot)
        # Equal ones are kept once, however many sources send them.
        same = (content.get(transaction.signature) for content in opened.sent.values())
        kept = next((each for each in same if each == transaction), transaction)
        content = opened.sent[source]
        grown = transaction.signature not in content
        content[transaction.signature] = kept
        opened.size += grown
        self.open += grown

    def _is_beyond(self, slot: int) -> bool:
        return self._horizon is not None and slot >= self._horizon.slot

    def _mark(self, offset: int, mark: Mark) -> None:
        if mark.last < self.next_slot:
            return
        if mark.begins is not None and mark.begins < self._trusted_offset:
            return
        last = mark.last
        if self._horizon is not None and self._is_beyond(last):
            last = self._horizon.slot - 1
        else:
            heappush(self._marks, (last, offset))
            self.open += 1
        if mark.first > last:
            return
        self._runs[mark.source].add(mark.first, last)
        # Behind a slot that one source lacks, another's run may continue.
        released = -1
        while released != self.next_slot:
            released = self.next_slot
            self._release()

    def _release(self) -> None:
        """Releases as far as enough sources have marked and agree."""
        self._differing = {}
        reach = {source: runs.last_from(self.next_slot) for source, runs in self._runs.items()}
        if len(reach) < self.agree:
            return
        last = sorted(reach.values(), reverse=True)[self.agree - 1]
        while self._order and (slot := self._order[0]) <= last:
            known = {source: self._open[slot].sent.get(source, {}) for source, until in reach.items() if until >= slot}
            groups = _alike(known.values())
            agreed = [content for content, count in groups if count >= self.agree]
            if len(agreed) != 1:
                self._differing = {source: len(content) for source, content in known.items()}
                last = slot - 1
                break
            self._take(heappop(self._order), agreed[0])
        self.next_slot = max(self.next_slot, last + 1)
        self._pass()

    def _take(self, slot: int, content: Content) -> None:
        opened = self._open.pop(slot)
        self.open -= opened.size
        if content:
            transactions = tuple(sorted(content.values(), key=lambda each: each.index))
            self._released[slot] = _Released(opened.offset, transactions)
            self.held += len(transactions)

    def _pass(self) -> None:
        """Moves the marks of what is released."""
        while self._marks and self._marks[0][0] < self.next_slot:
            self._passed.append(heappop(self._marks))
            self.open -= 1
            self.held += 1
        for runs in self._runs.values():
            runs.forget(self.next_slot)

    def _let_go(self) -> None:
        """Lets go of the later half of what is kept, but never of the next slot."""
        kept = 0
        sizes = [*((slot, opened.size) for slot, opened in self._open.items()), *((last, 1) for last, _ in self._marks)]
        for slot, size in sorted(sizes):
            kept += size
            if kept > self._most_open // 2 and slot > self.next_slot:
                self._forget_from(slot)
                return

    def _forget_from(self, slot: int) -> None:
        gone = {each: opened for each, opened in self._open.items() if each >= slot}
        marks = [mark for mark in self._marks if mark[0] >= slot]
        offsets = [*(opened.offset for opened in gone.values()), *(offset for _, offset in marks)]
        if self._horizon is not None:
            offsets.append(self._horizon.offset)
        self._horizon = _Horizon(slot, min(offsets))
        self._open = {each: opened for each, opened in self._open.items() if each < slot}
        self._order = sorted(self._open)
        self._marks = [mark for mark in self._marks if mark[0] < slot]
        heapify(self._marks)
        self.open = sum(opened.size for opened in self._open.values()) + len(self._marks)
        for runs in self._runs.values():
            runs.cut(slot)


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
