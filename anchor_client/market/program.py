"""The market's program, as the Solana client asks for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.transaction_status import EncodedTransactionWithStatusMeta

from anchor_client.errors.program import ProgramRefusal, refusal
from anchor_client.events import events_of
from anchor_client.generated.errors import ERRORS
from anchor_client.generated.instructions import decode_instruction
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl.runtime.instructions import DecodedInstruction
from anchor_idl.runtime.program_errors import FRAMEWORK_ERRORS
from anchor_idl.runtime.structs import Event

_FIRST_FRAMEWORK_CODE: Final = min(FRAMEWORK_ERRORS)
_BY_ROLE: Final[Mapping[str, str]] = {
    "vault_token": "escrow",
    "pool_token": "stake",
    "stream_token": "rewards for stakers",
    "catalog_token": "lock",
    "renter_payout": "refund",
    "beaten_payout": "refund",
    "holder_payout": "compensation",
    "compensation_payout": "compensation",
    "host_payout": "earnings",
    "owner_payout": "rewards",
    "owner_token": "stake returned",
    "authority_token": "lock returned",
    "treasury_token": "treasury's share",
}
_BY_INSTRUCTION: Final[Mapping[tuple[str, str], str]] = {
    ("open_meter", "vault_token"): "escrow for charges",
    ("fund_subsidy", "vault_token"): "subsidy",
    ("finish_rental", "renter"): "tip returned",
    ("withdraw_unreserved", "authority_token"): "unreserved",
}
_OWNERS: Final = frozenset({"renter", "renter_payout", "owner"})


@dataclass(frozen=True, slots=True)
class MarketProgram:
    """The market's program at an address."""

    id: Pubkey = PROGRAM_ID

    def instruction(self, instruction: Instruction) -> DecodedInstruction:
        """An instruction of the market, decoded. Raises IdlError for any other."""
        return decode_instruction(instruction, self.id)

    def events(self, transaction: EncodedTransactionWithStatusMeta) -> tuple[Event, ...]:
        """The market's events in a landed transaction, in the order of their emission."""
        return events_of(transaction, self.id)

    def owns_code(self, code: int) -> bool:
        """True for the codes of the program and of its framework."""
        return code in ERRORS or code >= _FIRST_FRAMEWORK_CODE

    def refusal(self, code: int, context: str, logs: tuple[str, ...]) -> ProgramRefusal:
        """The named refusal of a custom error code."""
        return refusal(code, context, logs)

    def purpose(self, instruction: str, role: str) -> str | None:
        """Purpose of a payment by the role of the account that gets it."""
        return _BY_INSTRUCTION.get((instruction, role)) or _BY_ROLE.get(role)

    def is_tip(self, roles: Collection[str]) -> bool:
        """True for a caller who ends something for another."""
        return "caller" in roles and _OWNERS.isdisjoint(roles)
