"""A program as a client of its chain needs it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.transaction_status import EncodedTransactionWithStatusMeta

from anchor_client.service.errors import GpuMarketError
from anchor_idl.runtime.instructions import DecodedInstruction
from anchor_idl.runtime.structs import Event


class Program(Protocol):
    """Meaning of a program's instructions, events, errors and payments."""

    @property
    def id(self) -> Pubkey:
        """The program's address."""

    def instruction(self, instruction: Instruction) -> DecodedInstruction:
        """An instruction of the program, decoded. Raises IdlError for any other."""

    def events(self, transaction: EncodedTransactionWithStatusMeta) -> tuple[Event, ...]:
        """The program's events in a landed transaction, in the order of their emission."""

    def owns_code(self, code: int) -> bool:
        """True for a custom error code that the program itself can fail with."""

    def refusal(self, code: int, context: str, logs: tuple[str, ...]) -> GpuMarketError:
        """The exception for a custom error code of the program."""

    def purpose(self, instruction: str, role: str) -> str | None:
        """Purpose of a payment to the account in this role of an instruction; None where the program has no name."""

    def is_tip(self, roles: Collection[str]) -> bool:
        """True where lamports of a closed account are a tip to an account in these roles, and no returned rent."""
