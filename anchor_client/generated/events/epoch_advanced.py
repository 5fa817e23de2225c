"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EpochAdvanced(Event):
    """`shared` left each stream's queue for the stakers. Accumulators are rewards per base unit, Q64: `acc` up to the
    start of the new epoch, `next_acc` up to its end.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("29dc0e7b7546759d")
    LAYOUT: ClassVar[Fields] = Fields(
        pool=layouts.PUBKEY,
        old_epoch=layouts.U64,
        epoch=layouts.U64,
        started_at=layouts.I64,
        ends_at=layouts.I64,
        active=layouts.U64,
        shared=layouts.array(4, layouts.U64),
        queued=layouts.array(4, layouts.U64),
        acc=layouts.array(4, layouts.U128),
        next_acc=layouts.array(4, layouts.U128),
        at=layouts.I64,
        pool_seq=layouts.U64,
    )

    pool: Pubkey
    old_epoch: int
    epoch: int
    started_at: int
    ends_at: int
    active: int
    shared: tuple[int, ...]
    queued: tuple[int, ...]
    acc: tuple[int, ...]
    next_acc: tuple[int, ...]
    at: int
    pool_seq: int
