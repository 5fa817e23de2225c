"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PointsRefreshed(Event):
    """A listing took the points that the catalog now gives its machine."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("b218fa95c2821f48")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        host=layouts.PUBKEY,
        old=layouts.U32,
        new=layouts.U32,
        host_points=layouts.U32,
        by=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U64,
        host_seq=layouts.U64,
    )

    listing: Pubkey
    host: Pubkey
    old: int
    new: int
    host_points: int
    by: Pubkey
    at: int
    seq: int
    host_seq: int
