"""One step of seeding: instructions that belong together, and the account whose existence shows they have run."""

from __future__ import annotations

from dataclasses import dataclass

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey


@dataclass(frozen=True, slots=True)
class Step:
    """Instructions for one transaction, paid and signed by `payer` and also signed by `signers`."""

    creates: Pubkey
    payer: Keypair
    instructions: tuple[Instruction, ...]
    signers: tuple[Keypair, ...] = ()
