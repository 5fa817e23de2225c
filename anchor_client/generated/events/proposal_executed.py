"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.action import Action


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ProposalExecuted(Event):
    """An action of a proposal ran. The event of its own instruction, which follows, says what it changed."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("5cd5bdc965536f53")
    LAYOUT: ClassVar[Fields] = Fields(
        proposal=layouts.PUBKEY, by=layouts.PUBKEY, at=layouts.I64, seq=layouts.U64, action=layouts.tagged_union(Action)
    )

    proposal: Pubkey
    by: Pubkey
    at: int
    seq: int
    action: Action
