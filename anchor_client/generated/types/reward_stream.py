"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RewardStream(Struct):
    """Rewards of stake in one mint. Accumulators are rewards per staked base unit, Q64, modulo 2^128, low word first."""

    LAYOUT: ClassVar[Fields] = Fields(
        mint=layouts.PUBKEY,
        token_account=layouts.PUBKEY,
        acc=layouts.array(2, layouts.U64),
        next_acc=layouts.array(2, layouts.U64),
        queued=layouts.U64,
        held=layouts.U64,
        funded=layouts.U64,
        claimed=layouts.U64,
    )

    mint: Pubkey
    token_account: Pubkey
    """The pool's associated token account of the mint."""
    acc: tuple[int, ...]
    """Credited up to the start of this epoch."""
    next_acc: tuple[int, ...]
    """Value of `acc` at the end of this epoch."""
    queued: int
    """Base units that wait for the next epoch to be shared."""
    held: int
    """Base units that have come in and have not been claimed."""
    funded: int
    """Lifetime totals, modulo 2^64."""
    claimed: int
