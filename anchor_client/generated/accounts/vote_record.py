"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Account


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class VoteRecord(Account):
    """That a wallet has voted on a proposal, at seeds `"vote", proposal, voter`. Its rent returns once the vote is
    over.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("70097ba5ea099da7")
    SIZE: ClassVar[int] = 104
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "support": 10,
            "reserved_flags": 11,
            "proposal": 16,
            "voter": 48,
            "weight": 80,
            "voted_at": 88,
            "proposal_id": 96,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        support=layouts.U8,
        reserved_flags=layouts.byte_array(5),
        proposal=layouts.PUBKEY,
        voter=layouts.PUBKEY,
        weight=layouts.U64,
        voted_at=layouts.I64,
        proposal_id=layouts.U64,
    )

    version: int
    bump: int
    support: int
    reserved_flags: bytes
    proposal: Pubkey
    voter: Pubkey
    weight: int
    """Base units of active stake when the vote was cast."""
    voted_at: int
    proposal_id: int
    """The proposal's number, which outlives its account."""
