"""Looks up table entries by discriminator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Entry = TypeVar("Entry")

DEFAULT_LENGTH = 8
"""Bytes in the discriminators that Anchor generates."""


def entry_for(table: Mapping[bytes, Entry], data: bytes) -> Entry | None:
    """The entry whose discriminator `data` starts with; no discriminator is a prefix of another."""
    entry = table.get(bytes(data[:DEFAULT_LENGTH]))
    if entry is not None:
        return entry
    lengths = {len(discriminator) for discriminator in table} - {DEFAULT_LENGTH}
    found = (table.get(bytes(data[:length])) for length in lengths)
    return next((entry for entry in found if entry is not None), None)
