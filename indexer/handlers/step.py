"""What a handler works with, and the check that no event of an entity is missing."""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.kinds import JobState
from indexer.decode import Origin
from indexer.models import RentalState, SeqGap
from indexer.rows import Rows


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

    def follow(self, kind: str, entity: Pubkey | str, last: int, found: int) -> int:
        """The entity's newest `seq`; a gap is recorded when `found` is not the one after `last`."""
        if found != last + 1 and self.rows.find(SeqGap, str(entity), found) is None:
            gap = SeqGap(
                entity=str(entity),
                found=found,
                expected=last + 1,
                kind=kind,
                event=self.event,
                signature=self.signature,
                slot=self.origin.slot,
            )
            self.rows.add(gap)
        return max(last, found)

    def unknown(self, kind: str, entity: Pubkey | str, found: int) -> None:
        """Records that an event changes an entity whose beginning was missed."""
        self.follow(kind, entity, 0, found)

    def enter(self, rental: Pubkey, seq: int, status: JobState, at: int, message: str) -> None:
        """Adds to a rental's history."""
        self.rows.add(
            RentalState(
                rental=str(rental), seq=seq, status=status.value, at=at, message=message, signature=self.signature
            )
        )
