"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Account


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GpuModel(Account):
    """A GPU model of the catalog, at seeds `"gpu", number`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("c689c181f31d1160")
    SIZE: ClassVar[int] = 64
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "number": 10,
            "points": 12,
            "reserved_flags": 14,
            "reference_usd": 16,
            "reserved_price": 20,
            "seq": 24,
            "reserved": 32,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        number=layouts.U16,
        points=layouts.U16,
        reserved_flags=layouts.byte_array(2),
        reference_usd=layouts.U32,
        reserved_price=layouts.byte_array(4),
        seq=layouts.U64,
        reserved=layouts.byte_array(32),
    )

    version: int
    bump: int
    number: int
    """Number by which listings name it."""
    points: int
    """GPU points of one GPU."""
    reserved_flags: bytes
    reference_usd: int
    """Micro-USD per GPU-hour up to which prices are subsidised; zero subsidises none."""
    reserved_price: bytes
    seq: int
    reserved: bytes
