"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ProposalVetoed(Event):
    """The guardian has stopped a critical proposal that waited to be executed."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("b91d4d1786fb9b1b")
    LAYOUT: ClassVar[Fields] = Fields(proposal=layouts.PUBKEY, by=layouts.PUBKEY, at=layouts.I64, seq=layouts.U64)

    proposal: Pubkey
    by: Pubkey
    at: int
    seq: int
