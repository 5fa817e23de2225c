"""Rounds without end: two recorded ones, continued in the way that the second differs from the first.

What a cluster would take hours to execute. Numbers and moments go on as they did, and each round's rentals and
transactions are new ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.generated.events import EVENT_TAG
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl.runtime.structs import Event, Struct
from benchmarks.load.rounds import begin_round, end_round, parties_of
from benchmarks.load.world import open_world
from indexer.index.decode import decode
from indexer.index.transaction import Transaction, transaction_from_json
from indexer.store.events import Decoded

GOING_ON: Final = ("seq", "at", "until", "nonce", "_seconds")
"""Endings of the names of fields that differ from round to round; amounts stay as they are."""


async def recorded(parties: int, rounds: int) -> list[list[Transaction]]:
    """Transactions of so many rounds, each of so many parties."""
    async with open_world() as (world, recording):
        renting = await parties_of(world, parties)
        taken = []
        for _ in range(rounds):
            await begin_round(world, renting)
            await end_round(world, renting)
            taken.append([transaction_from_json(answer) for answer in recording.take()])
        return taken


def endless(rounds: Sequence[list[Transaction]]) -> Iterator[list[Transaction]]:
    """Recorded rounds, and those that follow from the last two."""
    yield from rounds
    yield from continued(*rounds[-2:])


class RoundsDiffer(ValueError):
    """Two rounds have not the same transactions, so that nothing says how they go on."""


class _Step(NamedTuple):
    """A transaction of the last round, what it emitted, and what the same emitted a round before."""

    transaction: Transaction
    slots: int
    """From a round to the next."""
    events: Sequence[tuple[Decoded, Event]]


def continued(before: Sequence[Transaction], last: Sequence[Transaction]) -> Iterator[list[Transaction]]:
    """The rounds after `last`, one by one. RoundsDiffer."""
    if len(before) != len(last):
        raise RoundsDiffer(f"{len(before)} and {len(last)} transactions")
    # On a slow machine the last round may have taken longer than the one before: its successor comes after all of it.
    slots = max(last[0].slot - before[0].slot, last[-1].slot - last[0].slot + 1)
    steps = [_step(*pair, slots) for pair in zip(before, last, strict=True)]
    number = 0
    while True:
        number += 1
        yield [_transaction(step, number) for step in steps]


def _step(before: Transaction, last: Transaction, slots: int) -> _Step:
    earlier, later = (_events(transaction) for transaction in (before, last))
    if [type(each.event) for each in earlier] != [type(each.event) for each in later]:
        raise RoundsDiffer(f"{before.signature} and {last.signature}")
    return _Step(last, slots, [(b, a.event) for a, b in zip(earlier, later, strict=True)])


def _events(transaction: Transaction) -> list[Decoded]:
    return [each for each in decode(transaction, str(PROGRAM_ID)) if isinstance(each, Decoded)]


def _transaction(step: _Step, number: int) -> Transaction:
    inner = {index: list(calls) for index, calls in step.transaction.inner.items()}
    for decoded, earlier in step.events:
        calls = inner[decoded.origin.instruction_index]
        data = EVENT_TAG + _next(earlier, decoded.event, number).encode()
        calls[decoded.origin.inner_index] = calls[decoded.origin.inner_index]._replace(data=data)
    return replace(
        step.transaction,
        signature=str(Signature(_new(step.transaction.signature.encode(), number, 64))),
        slot=step.transaction.slot + step.slots * number,
        inner={index: tuple(calls) for index, calls in inner.items()},
    )


def _next(before: Any, last: Any, number: int, name: str = "") -> Any:
    if isinstance(last, Struct):
        values = last.field_values().items()
        return type(last)(**{name: _next(getattr(before, name), value, number, name) for name, value in values})
    if isinstance(last, tuple | list) and len(last) == len(before):
        return type(last)(_next(*pair, number, name) for pair in zip(before, last, strict=True))
    if isinstance(last, Pubkey) and last != before:
        return Pubkey(_new(bytes(last), number, 32))
    if type(last) is int and type(before) is int and name.endswith(GOING_ON):
        return last + (last - before) * number
    return last


def _new(seed: bytes, number: int, size: int) -> bytes:
    return blake2b(seed + number.to_bytes(8, "big"), digest_size=size).digest()
