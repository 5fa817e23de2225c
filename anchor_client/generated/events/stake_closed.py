"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StakeClosed(Event):
    """The account was empty; its rent went back to the owner. An account opened again counts from one."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("48a64d868b0cd6a0")
    LAYOUT: ClassVar[Fields] = Fields(stake=layouts.PUBKEY, owner=layouts.PUBKEY, at=layouts.I64, seq=layouts.U64)

    stake: Pubkey
    owner: Pubkey
    at: int
    seq: int
