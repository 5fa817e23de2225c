"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MarketKeys(Struct):
    """MarketKeys."""

    LAYOUT: ClassVar[Fields] = Fields(guardian=layouts.PUBKEY, treasury=layouts.PUBKEY)

    guardian: Pubkey
    treasury: Pubkey
