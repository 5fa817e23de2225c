"""Events as clients see them: JSON with the program's names, numbers of 64 bits and more as text."""

from __future__ import annotations

from enum import Enum
from typing import Any

from construct import Array
from solders.pubkey import Pubkey

from anchor_client.generated.types import Action
from anchor_client.market.governance.words import kind_of
from anchor_idl.runtime.layouts import U64, U128, Layout
from anchor_idl.runtime.structs import Struct

LARGE = (U64, U128)


def in_json(value: Any, layout: Layout | None = None) -> Any:
    """Addresses in base58, bytes in hex, enums in words; what JSON's readers may round is text."""
    if layout in LARGE:
        return str(value)
    match value:
        case Struct():
            fields = {name: in_json(getattr(value, name), inner) for name, inner in value.LAYOUT.layouts.items()}
            return {"kind": kind_of(value), **fields} if isinstance(value, Action) else fields
        case Enum():
            return value.name.lower()
        case Pubkey():
            return str(value)
        case bytes():
            return value.hex()
        case tuple() | list():
            item = layout.subcon if isinstance(layout, Array) else None
            return [in_json(each, item) for each in value]
        case _:
            return value
