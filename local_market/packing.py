"""Puts steps into as few transactions as their size allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import Message
from solders.transaction import VersionedTransaction

from local_market.steps.step import Step

PACKET_BYTES = 1_232
SIGNATURE_BYTES = 64
MAX_INSTRUCTIONS = 24
"""Steps run at the default compute limit, which stops growing with the instructions at some number of them."""


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


def transaction(group: Sequence[Step], blockhash: Hash) -> VersionedTransaction:
    """The signed transaction of a group."""
    payer = group[0].payer
    message = Message.new_with_blockhash(_instructions(group), payer.pubkey(), blockhash)
    return VersionedTransaction(message, [payer, *_signers(group)])


def _fits(group: Sequence[Step]) -> bool:
    instructions = _instructions(group)
    message = Message.new_with_blockhash(instructions, group[0].payer.pubkey(), Hash.default())
    signatures = SIGNATURE_BYTES * message.header.num_required_signatures
    size = 1 + signatures + len(bytes(message))
    return size <= PACKET_BYTES and len(instructions) <= MAX_INSTRUCTIONS


def _instructions(group: Iterable[Step]) -> list[Instruction]:
    return [instruction for step in group for instruction in step.instructions]


def _signers(group: Sequence[Step]) -> list[Keypair]:
    signers: dict[str, Keypair] = {}
    for step in group:
        signers.update((str(signer.pubkey()), signer) for signer in step.signers)
    signers.pop(str(group[0].payer.pubkey()), None)
    return list(signers.values())
