"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentSwept(Event):
    """Lamports of an account beyond its rent went to whose account it is."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("cb5605b151a70c19")
    LAYOUT: ClassVar[Fields] = Fields(
        account=layouts.PUBKEY, owner=layouts.PUBKEY, lamports=layouts.U64, at=layouts.I64
    )

    account: Pubkey
    owner: Pubkey
    lamports: int
    at: int
