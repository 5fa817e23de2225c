"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class VoteClosed(Event):
    """The rent of a vote went back to the voter."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("f0a78369a8571dae")
    LAYOUT: ClassVar[Fields] = Fields(proposal=layouts.PUBKEY, voter=layouts.PUBKEY, at=layouts.I64)

    proposal: Pubkey
    voter: Pubkey
    at: int
