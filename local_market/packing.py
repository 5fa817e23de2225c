"""Puts steps into as few transactions as their size allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from solders.hash import Hash
from solders.instruction import Instruction

from anchor_client.errors import TransactionTooLarge
from anchor_client.transactions import compile_message
from local_market.steps.step import Step

MAX_INSTRUCTIONS = 24
"""As many as fit the compute units of one transaction."""


def pack(steps: Iterable[Step]) -> Iterator[list[Step]]:
    """Groups steps of one payer, in order, into runs that each fit a transaction."""
    group: list[Step] = []
    for step in steps:
        if group and not _fits([*group, step]):
            yield group
            group = []
        group.append(step)
    if group:
        yield group


def instructions_of(group: Iterable[Step]) -> list[Instruction]:
    """The instructions of all steps, in order."""
    return [instruction for step in group for instruction in step.instructions]


def _fits(group: Sequence[Step]) -> bool:
    instructions = instructions_of(group)
    try:
        compile_message(instructions, group[0].payer.pubkey(), Hash.default())
    except TransactionTooLarge:
        return False
    return len(instructions) <= MAX_INSTRUCTIONS
