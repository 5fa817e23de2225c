"""Context of a handler, and the check that no event of an entity is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

from solders.pubkey import Pubkey

from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event, Struct
from indexer.models import Entity, Record, SeqGap
from indexer.store.events import Origin
from indexer.store.rows import Rows

Row = TypeVar("Row", bound=Record)
Known = TypeVar("Known", bound=Entity)
Emitted = TypeVar("Emitted", bound=Event)


@dataclass(slots=True)
class Step:
    """One event's place and the rows it may change."""

    rows: Rows
    origin: Origin
    event: str

    @property
    def program(self) -> Pubkey:
        """The market's program."""
        return self.rows.program

    @property
    def signature(self) -> str:
        """The transaction that emitted the event."""
        return self.origin.signature

    def add(self, kind: type[Row], /, *sources: Struct, **known: Any) -> Row:
        """Adds a row: columns that are not `known` are the fields of their names in `sources`, the event first."""
        values = {name: value for source in reversed(sources) for name, value in values_for(kind, source).items()}
        if sources and "tx" in kind.model_fields:
            values |= {"ts": getattr(sources[0], "at", None), "tx": self.signature}
        row = kind(**values | known)
        self.rows.add(row)
        return row

    def open(self, kind: type[Known], address: Pubkey, /, *sources: Struct, **known: Any) -> Known:
        """Adds an entity with its first event, as `add` does."""
        entity = self.add(kind, *sources, **known | {"address": str(address), "seq_slot": self.origin.slot})
        self.follow(kind, entity.address, 0, entity.seq)
        return entity

    def change(
        self, kind: type[Known], address: Pubkey | str, seq: int, source: Struct | None = None, /, **known: Any
    ) -> Known | None:
        """An entity at its event `seq`, which takes what `source` and `known` have for its columns.

        None, and a gap, when its beginning was missed.
        """
        address = str(address)
        entity = self.rows.change(kind, address)
        last, slot = (0, 0) if entity is None else (entity.seq, entity.seq_slot)
        self.follow(kind, address, last, seq, slot)
        if entity is not None:
            values = vars(entity)
            if source is not None:
                values |= values_for(kind, source)
            values |= known
            values["seq"], values["seq_slot"] = max((last, slot), (seq, self.origin.slot))
        return entity

    def follow(self, kind: type[Entity], address: str, last: int, found: int, last_slot: int = 0) -> None:
        """Records a gap when `found` is not the `seq` after `last`, which was in `last_slot`."""
        if found != last + 1 and self.rows.find(SeqGap, address, found) is None:
            gap = SeqGap(
                entity=address,
                found=found,
                expected=last + 1,
                kind=kind.table.name,
                event=self.event,
                signature=self.signature,
                slot=self.origin.slot,
                since_slot=last_slot,
            )
            self.rows.add(gap)


def values_for(kind: type[Record], source: Struct) -> dict[str, Any]:
    """Values of a struct for the columns of its fields' names: addresses in base58, bytes in hex, enums in words."""
    values = {}
    for name in _shared(kind, source.LAYOUT):
        value = getattr(source, name)
        stored = _stored(value.__class__)
        values[name] = value if stored is None else stored(value)
    return values


@cache
def _shared(kind: type[Record], layout: Fields) -> tuple[str, ...]:
    return tuple(name for name in layout.layouts if name in kind.model_fields)


@cache
def _stored(kind: type[object]) -> Callable[[Any], Any] | None:
    """Conversion of a type's values for storage; None where they are stored as they are."""
    if issubclass(kind, Enum):
        return lambda value: value.name.lower()
    if issubclass(kind, Pubkey):
        return str
    return bytes.hex if issubclass(kind, bytes) else None


Handler: TypeAlias = Callable[[Any, Step], None]
HANDLERS: Final[dict[type[Event], Handler]] = {}
"""Handler of each event."""


def on(event: type[Emitted]) -> Callable[[Callable[[Emitted, Step], None]], Callable[[Emitted, Step], None]]:
    """Registers the handler of an event; ValueError if it has one."""

    def register(handler: Callable[[Emitted, Step], None]) -> Callable[[Emitted, Step], None]:
        if event in HANDLERS:
            raise ValueError(f"{event.__name__} has a handler")
        HANDLERS[event] = handler
        return handler

    return register
