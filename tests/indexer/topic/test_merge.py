"""A merger releases what enough sources agree on, in order, wherever it begins. Invariant IDX-19."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.errors import MarksMissing, SourcesBehind, SourcesDiffer, UnreadableMessage
from indexer.index.sources.kafka.merge import Merger
from indexer.index.sources.kafka.messages import Mark, Message, SentTransaction, decode, encode
from indexer.index.sources.kafka.runs import Runs
from indexer.index.sources.source import Frontier
from indexer.index.transaction import InnerInstruction, Transaction

GENESIS = "1" * 32
LAST = 12
NOWHERE = (-1, -1)


def transaction(slot: int, index: int, failed: bool = False) -> Transaction:
    inner = {0: (InnerInstruction("program", b"data", 2), InnerInstruction("other", b"", None))}
    return Transaction(f"{slot}.{index}", slot, index, failed, ("program",), {} if failed else inner)


def mark(source: str, first: int, last: int, begins: int | None = None) -> Mark:
    return Mark(source, GENESIS, first, last, begins, None)


CHAIN = [transaction(slot, index) for slot in range(0, LAST + 1, 2) for index in range(slot % 3 + 1)]


def told(source: str, chain: Sequence[Transaction], seed: int) -> Iterator[Message]:
    """A source's messages of a chain: in parts, each with its mark, now and then twice."""
    chance = random.Random(seed)
    first = 0
    while first <= LAST:
        last = min(LAST, first + chance.randrange(4))
        part = [SentTransaction(source, each) for each in chain if first <= each.slot <= last]
        chance.shuffle(part)
        yield from part
        if chance.random() < 0.3:
            yield from part
        yield mark(source, first, last)
        first = last + 1


def shuffled(parts: list[Iterator[Message]], seed: int) -> list[Message]:
    """One order of several sources' messages, each source's own kept."""
    chance = random.Random(seed)
    log: list[Message] = []
    while parts:
        part = chance.choice(parts)
        message = next(part, None)
        if message is None:
            parts.remove(part)
        else:
            log.append(message)
    return log


def released(merger: Merger, log: Sequence[Message], start: int = 0) -> list[Transaction]:
    for offset, message in enumerate(log[start:], start):
        merger.add(offset, message)
    return merger.between(NOWHERE, LAST)


def read_through(merger: Merger, log: Sequence[Message], steps: int = 10**6, start: int = 0) -> int:
    """Gives a merger a log, again from where it has to have it; the most messages that it kept."""
    offset, most = start, 0
    while offset < len(log) and steps > 0:
        merger.add(offset, log[offset])
        most = max(most, merger.open)
        back = merger.due()
        offset = offset + 1 if back is None else back
        steps -= 1
    return most


def lying() -> list[Transaction]:
    """Another chain: one transaction changed, one left out, one made up."""
    return [replace(CHAIN[0], failed=True), *CHAIN[2:], transaction(3, 0)]


@given(st.integers(0, 2**32))
def test_merger__one_source__releases_the_chain(seed: int) -> None:
    merger = Merger(0)
    assert released(merger, list(told("one", CHAIN, seed))) == CHAIN
    assert merger.next_slot == LAST + 1 and merger.problem is None


@given(st.integers(0, 2**32))
def test_merger__one_of_three_lies__releases_what_two_say(seed: int) -> None:
    parts = [told("one", CHAIN, seed), told("two", CHAIN, seed + 1), told("liar", lying(), seed + 2)]
    assert released(Merger(0, agree=2), shuffled(parts, seed)) == CHAIN


@given(st.integers(0, 2**32), st.sampled_from([1, 2]))
def test_merger__one_of_two_lies__stops_before_the_lie_and_says_who_differs(seed: int, agree: int) -> None:
    log = shuffled([told("one", CHAIN, seed), told("liar", lying(), seed + 1)], seed)
    merger = Merger(0, agree=agree)
    found = released(merger, log)
    if agree == 2:
        assert found == [] and merger.next_slot == 0
        with pytest.raises(SourcesDiffer, match="liar has sent 1, one has sent 1"):
            raise merger.problem or AssertionError
    else:  # whoever marked a slot first was believed, and never a mixture
        for slot in range(LAST + 1):
            content = [each for each in found if each.slot == slot]
            assert content in (
                [each for each in CHAIN if each.slot == slot],
                [e for e in lying() if e.slot == slot],
                [],
            )


@pytest.mark.parametrize("most_open", [10**6, 6], ids=["keeps-all", "lets-go"])
@given(seed=st.integers(0, 2**32), settled=st.integers(0, LAST), agree=st.sampled_from([1, 2]))
@example(seed=1987, settled=4, agree=2)
def test_merger__begins_again_where_it_had_settled__releases_the_rest(
    most_open: int, seed: int, settled: int, agree: int
) -> None:
    log = shuffled([told(name, CHAIN, seed + place) for place, name in enumerate(("one", "two", "three"))], seed)
    before = Merger(0, agree=agree, most_open=most_open)
    read_through(before, log, random.Random(seed).randrange(len(log) + 1))
    known = before.between(NOWHERE, LAST)
    before.settle(settled)
    next_slot, offset = before.settled
    after = Merger(next_slot, agree=agree, most_open=most_open)
    read_through(after, log, start=offset)
    rest = after.between(NOWHERE, LAST)
    assert [each for each in known if each.slot < next_slot] + rest == CHAIN


@given(st.integers(0, 2**32), st.integers(1, 30), st.booleans())
def test_merger__a_source_is_far_behind__keeps_no_more_than_its_bound(seed: int, most_open: int, lies: bool) -> None:
    ahead = shuffled([told("one", CHAIN, seed), told("liar", lying() if lies else CHAIN, seed + 1)], seed)
    log = [*ahead, *told("two", CHAIN, seed + 2)]
    merger = Merger(0, agree=3 - lies, most_open=most_open)
    most = read_through(merger, log)
    assert merger.between(NOWHERE, LAST) == CHAIN and merger.next_slot == LAST + 1
    largest = 3 * (3 + LAST)  # a slot of all three sources, with marks: the next slot is never let go
    assert most <= most_open + largest
    assert merger.problem is None and merger.open == 0


def test_merger__a_source_is_far_behind__says_which() -> None:
    merger = Merger(0, agree=2, most_open=4)
    read_through(merger, [SentTransaction("two", CHAIN[0]), mark("two", 0, 1), *told("one", CHAIN, 1)])
    reason = r"slot 2 waits for 2 sources: one at \d+, two at 1; from slot \d+ on the topic is read again later"
    with pytest.raises(SourcesBehind, match=reason):
        raise merger.problem or AssertionError


def test_merger__what_is_settled__is_not_held() -> None:
    merger = Merger(0)
    released(merger, list(told("one", CHAIN, 1)))
    assert merger.held > len(CHAIN) and not merger.is_settled  # marks are held too
    merger.settle(4)
    assert merger.between(NOWHERE, LAST) == [each for each in CHAIN if each.slot > 4]
    merger.settle(LAST + 100)
    assert merger.held == 0 and merger.is_settled and merger.settled[0] == LAST + 1


def test_merger__no_mark__releases_nothing() -> None:
    merger = Merger(0)
    assert released(merger, [SentTransaction("one", each) for each in CHAIN]) == [] and merger.problem is None


def test_merger__hole_between_marks__stops_before_it() -> None:
    merger = Merger(0)
    released(merger, [mark("one", 0, 4), mark("one", 6, 9)])
    assert merger.next_slot == 5
    assert isinstance(merger.problem, MarksMissing) and merger.problem.slot == 5
    merger.add(2, mark("two", 5, 5))
    assert merger.next_slot == 10 and merger.problem is None


def test_merger__mark_of_what_the_topic_no_longer_has__counts_for_nothing() -> None:
    merger = Merger(0, trusted_offset=7)
    merger.add(7, mark("one", 0, 4, begins=6))
    assert merger.next_slot == 0
    merger.add(8, SentTransaction("one", CHAIN[0]))
    merger.add(9, mark("one", 0, 4, begins=8))
    assert merger.next_slot == 5 and merger.between(NOWHERE, LAST) == [CHAIN[0]]


def test_merger__read_from_a_place__gives_what_is_behind_it() -> None:
    merger = Merger(0)
    released(merger, list(told("one", CHAIN, 3)))
    assert merger.between((4, 0), 8) == [each for each in CHAIN if (each.slot, each.index) > (4, 0) and each.slot <= 8]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), max_size=12), st.integers(0, 30))
def test_runs__of_any_order__are_what_they_cover(runs: list[tuple[int, int]], slot: int) -> None:
    known, covered = Runs(), set()
    for first, length in runs:
        known.add(first, first + length)
        covered |= set(range(first, first + length + 1))
    last = slot - 1
    while last + 1 in covered:
        last += 1
    assert known.last_from(slot) == last
    known.forget(slot)
    assert known.last_from(slot) == last


@pytest.mark.parametrize(
    "message",
    [
        SentTransaction("one", transaction(3, 1)),
        SentTransaction("one", transaction(3, 1, failed=True)),
        Mark("one", GENESIS, 0, 5, None, None),
        Mark("one", GENESIS, 0, 5, 2**40, Frontier(5, 2**31 - 1, "signature")),
    ],
)
def test_message__encoded_and_decoded__is_the_same(message: Message) -> None:
    assert decode(encode(message), 0) == message


@pytest.mark.parametrize(
    "value",
    [
        None,
        b"",
        b"text",
        encode(SentTransaction("one", replace(CHAIN[0], slot=2**63))),
        encode(SentTransaction("one", replace(CHAIN[0], index=2**31))),
        encode(mark("one", 5, 4)),
    ],
)
def test_message__that_no_source_writes__is_refused(value: bytes | None) -> None:
    with pytest.raises(UnreadableMessage, match="offset 7"):
        decode(value, 7)
