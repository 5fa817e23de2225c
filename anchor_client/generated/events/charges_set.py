"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.charges import Charges


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ChargesSet(Event):
    """ChargesSet."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("cea31f691f9e336e")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        old=layouts.struct(Charges),
        new=layouts.struct(Charges),
        at=layouts.I64,
        seq=layouts.U64,
    )

    listing: Pubkey
    old: Charges
    new: Charges
    at: int
    seq: int
