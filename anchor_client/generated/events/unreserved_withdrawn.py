"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UnreservedWithdrawn(Event):
    """Tokens owed to nobody went to the authority `by`: of the subsidy pool, and of what had been sent to the vault
    directly.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("604ae3c6f980e6f6")
    LAYOUT: ClassVar[Fields] = Fields(
        vault=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        subsidy=layouts.U64,
        surplus=layouts.U64,
        by=layouts.PUBKEY,
        at=layouts.I64,
        vault_seq=layouts.U64,
    )

    vault: Pubkey
    mint: Pubkey
    subsidy: int
    surplus: int
    by: Pubkey
    at: int
    vault_seq: int
