"""Events as the program once wrote them: their fields ended earlier, and what came since has a value here.

An event is older only if it ends exactly where a layout once did; one that is cut off elsewhere cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from anchor_client.generated.events import EVENTS, PaymentMintAdded
from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.layouts import WRONG, Fields
from anchor_idl.runtime.structs import Event

OLDER: Final[Mapping[type[Event], Sequence[Mapping[str, Any]]]] = {
    PaymentMintAdded: [{"mintable": True, "supply": 0}],
}
"""By event, and for each layout that it once had: the last fields, which that lacked, and what they are then."""


def decode_older(data: bytes) -> Event | None:
    """The event in an older layout; None for other data."""
    kind = entry_for(EVENTS, data)
    if kind is None:
        return None
    body = data[len(kind.DISCRIMINATOR) :]
    for since in OLDER.get(kind, ()):
        layout = Fields(**{name: each for name, each in kind.LAYOUT.layouts.items() if name not in since})
        try:
            values, end = layout.unpack(body, 0)
        except WRONG:
            continue
        if end == len(body):
            return kind(*values, *since.values())
    return None
