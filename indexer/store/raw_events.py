"""Raw events as the database has them, and how one is found by its signature.

That is by its trace, a number of the signature and of the slots around it. A transaction that comes again is in the
same slot, or in one that its blockhash lives for. So a signature is looked for among the traces of its
neighbourhood, and of the next one where that is as near. Who meets a trace compares the signature.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

from indexer.store.events import Decoded

# A blockhash is good for 150 slots after its own.
BLOCKHASH_SLOTS = 151
NEIGHBOURHOOD = 512
"""Slots."""
# With 32 bits of hash a trace fits a signed integer of 64.
_NEIGHBOURHOODS = 1 << 30
_HASH_BITS = 32


def raw_event(decoded: Decoded, number: int) -> dict[str, Any]:
    """The columns of an event, with its number of the intake."""
    signature, instruction_index, inner_index, slot, transaction_index = decoded.origin
    return {
        "signature": signature,
        "instruction_index": instruction_index,
        "inner_index": inner_index,
        "slot": slot,
        "transaction_index": transaction_index,
        "name": decoded.event.__class__.__name__,
        "data": decoded.data,
        "trace": _trace(crc32(signature.encode()), slot // NEIGHBOURHOOD),
        "number": number,
    }


def traces_of(signature: str, slot: int) -> Iterator[int]:
    """The traces that events of a transaction may have."""
    digest = crc32(signature.encode())
    first = (slot - BLOCKHASH_SLOTS) // NEIGHBOURHOOD
    last = (slot + BLOCKHASH_SLOTS) // NEIGHBOURHOOD
    return (_trace(digest, neighbourhood) for neighbourhood in range(first, last + 1))


def _trace(digest: int, neighbourhood: int) -> int:
    return neighbourhood % _NEIGHBOURHOODS << _HASH_BITS | digest
