"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.gpu_terms import GpuTerms


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GpuModelSet(Event):
    """Entry of the catalog: one GPU of a model."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("d6ed116a16c31ef0")
    LAYOUT: ClassVar[Fields] = Fields(
        gpu_model=layouts.PUBKEY,
        number=layouts.U16,
        old=layouts.struct(GpuTerms),
        new=layouts.struct(GpuTerms),
        at=layouts.I64,
        seq=layouts.U64,
    )

    gpu_model: Pubkey
    number: int
    old: GpuTerms
    new: GpuTerms
    at: int
    seq: int
