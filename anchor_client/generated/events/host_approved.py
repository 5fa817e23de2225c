"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HostApproved(Event):
    """HostApproved."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("30f5e2c4c72e0441")
    LAYOUT: ClassVar[Fields] = Fields(
        host=layouts.PUBKEY,
        old=layouts.BOOL,
        new=layouts.BOOL,
        by=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U64,
        old_budget=layouts.U64,
        new_budget=layouts.U64,
    )

    host: Pubkey
    old: bool
    new: bool
    by: Pubkey
    at: int
    seq: int
    old_budget: int
    """Base units of subsidy a day."""
    new_budget: int
