"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ProposalClosed(Event):
    """The proposal was over; its rent went back to the proposer, who may make another."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("395a2fa46937611b")
    LAYOUT: ClassVar[Fields] = Fields(
        proposal=layouts.PUBKEY, proposer=layouts.PUBKEY, at=layouts.I64, seq=layouts.U64, stake_seq=layouts.U64
    )

    proposal: Pubkey
    proposer: Pubkey
    at: int
    seq: int
    stake_seq: int
