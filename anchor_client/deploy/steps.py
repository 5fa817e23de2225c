"""Instructions that belong together, and putting them into as few transactions as their size allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.errors import TransactionTooLarge
from anchor_client.solana.transactions import compile_message

MAX_INSTRUCTIONS: Final = 24
"""As many as fit the compute units of one transaction."""


@dataclass(frozen=True, slots=True)
class DeployStep:
    """Instructions for one transaction, paid and signed by `payer` and also signed by `signers`.

    Where `elsewhere` is given, that wallet pays and signs in the payer's place. That the account `creates` exists
    shows that they have run.
    """

    creates: Pubkey
    payer: Keypair
    instructions: tuple[Instruction, ...]
    signers: tuple[Keypair, ...] = ()
    elsewhere: Pubkey | None = None


def pack(steps: Iterable[DeployStep]) -> Iterator[list[DeployStep]]:
    """Groups steps of the same payer, in order, into runs that each fit a transaction."""
    group: list[DeployStep] = []
    for step in steps:
        if group and not _fits([*group, step]):
            yield group
            group = []
        group.append(step)
    if group:
        yield group


def instructions_of(group: Iterable[DeployStep]) -> list[Instruction]:
    """The instructions of all steps, in order."""
    return [instruction for step in group for instruction in step.instructions]


def _fits(group: Sequence[DeployStep]) -> bool:
    instructions = instructions_of(group)
    try:
        compile_message(instructions, group[0].payer.pubkey(), Hash.default())
    except TransactionTooLarge:
        return False
    return len(instructions) <= MAX_INSTRUCTIONS
