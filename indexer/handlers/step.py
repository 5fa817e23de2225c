"""What a handler works with, and the check that no event of an entity is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from solders.pubkey import Pubkey

from anchor_idl.runtime.structs import Event
from indexer.decode import Origin
from indexer.models import Entity, SeqGap
from indexer.rows import Rows

Known = TypeVar("Known", bound=Entity)
Emitted = TypeVar("Emitted", bound=Event)


@dataclass(frozen=True, slots=True)
class Step:
    """One event's place and the rows it may change."""

    rows: Rows
    origin: Origin
    event: str

    @property
    def signature(self) -> str:
        """The transaction that emitted the event."""
        return self.origin.signature

    def open(self, entity: Entity) -> None:
        """Adds an entity with its first event."""
        self.follow(type(entity), entity.address, 0, entity.seq)
        self.rows.add(entity)

    def change(self, kind: type[Known], address: Pubkey | str, seq: int) -> Known | None:
        """An entity to change at its event `seq`; None, and a gap, when its beginning was missed."""
        entity = self.rows.change(kind, str(address))
        last = 0 if entity is None else entity.seq
        self.follow(kind, str(address), last, seq)
        if entity is not None:
            entity.seq = max(last, seq)
        return entity

    def follow(self, kind: type[Entity], address: str, last: int, found: int) -> None:
        """Records a gap when `found` is not the `seq` after `last`."""
        if found != last + 1 and self.rows.find(SeqGap, address, found) is None:
            gap = SeqGap(
                entity=address,
                found=found,
                expected=last + 1,
                kind=kind.table.name,
                event=self.event,
                signature=self.signature,
                slot=self.origin.slot,
            )
            self.rows.add(gap)


Handler: TypeAlias = Callable[[Any, Step], None]
HANDLERS: Final[dict[type[Event], Handler]] = {}
"""What each event does to the tables."""


def on(event: type[Emitted]) -> Callable[[Callable[[Emitted, Step], None]], Callable[[Emitted, Step], None]]:
    """Registers the handler of an event; ValueError if it has one."""

    def register(handler: Callable[[Emitted, Step], None]) -> Callable[[Emitted, Step], None]:
        if event in HANDLERS:
            raise ValueError(f"{event.__name__} has a handler")
        HANDLERS[event] = handler
        return handler

    return register
