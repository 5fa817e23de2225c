"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RenterRegistered(Event):
    """RenterRegistered."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("b20b0daee36632a7")
    LAYOUT: ClassVar[Fields] = Fields(profile=layouts.PUBKEY, wallet=layouts.PUBKEY, at=layouts.I64)

    profile: Pubkey
    wallet: Pubkey
    at: int
