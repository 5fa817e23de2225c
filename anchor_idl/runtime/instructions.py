"""Decodes instructions, for readers of transactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import build_fields, parse_fields, require_discriminator


@dataclass(frozen=True, slots=True)
class DecodedInstruction:
    """An instruction by its names. Optional accounts that are absent are left out of `accounts`."""

    name: str
    args: dict[str, Any]
    accounts: dict[str, Pubkey]
    remaining: tuple[Pubkey, ...] = ()


@dataclass(frozen=True, slots=True)
class InstructionSpec:
    """Specification of one instruction, from the IDL."""

    name: str
    discriminator: bytes
    args: Fields
    accounts: tuple[str, ...]
    optional: frozenset[str] = field(default_factory=frozenset)

    def encode(self, args: Mapping[str, Any]) -> bytes:
        """The instruction's data; InvalidValue if an argument does not fit."""
        return self.discriminator + build_fields(self.name, self.args, args)

    def decode(self, data: bytes, accounts: Sequence[Pubkey], program_id: Pubkey) -> DecodedInstruction:
        """The instruction by its names; DiscriminatorMismatch, LayoutTooShort, InvalidValue or MissingAccount."""
        require_discriminator(self.name, self.discriminator, data)
        args = parse_fields(self.name, self.args, data[len(self.discriminator) :])
        named = self.accounts_of(accounts, program_id)
        return DecodedInstruction(self.name, args, named, tuple(accounts[len(self.accounts) :]))

    def accounts_of(self, accounts: Sequence[Pubkey], program_id: Pubkey) -> dict[str, Pubkey]:
        """The addresses by account name; an optional account is absent where the program's own id stands."""
        if len(accounts) < len(self.accounts):
            raise MissingAccount(self.name, self.accounts[len(accounts)], f"only {len(accounts)} accounts are there")
        return {
            name: address
            for name, address in zip(self.accounts, accounts, strict=False)
            if not (name in self.optional and address == program_id)
        }

    def of(self, instruction: Instruction) -> DecodedInstruction:
        """`decode` for a whole instruction."""
        addresses = [meta.pubkey for meta in instruction.accounts]
        return self.decode(bytes(instruction.data), addresses, instruction.program_id)


def optional_meta(address: Pubkey | None, program_id: Pubkey, *, is_signer: bool, is_writable: bool) -> AccountMeta:
    """The meta of an optional account: where it is absent, the program's own id stands."""
    if address is None:
        return AccountMeta(program_id, is_signer=False, is_writable=False)
    return AccountMeta(address, is_signer=is_signer, is_writable=is_writable)
