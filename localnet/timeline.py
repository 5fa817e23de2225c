"""The cluster's clock: slots are a pure function of the monotonic clock, times one of the slots."""

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SLOT_MS = 400
CATCH_UP_SLOTS = 100
WALL_DRIFT_MS = 1_000


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of slots of even length: `first_slot` opens at `unix_ms`, each next one a slot later."""

    first_slot: int
    unix_ms: int


class Timeline:
    """Slots that open every `slot_ms` until paused, and the time at which each of them opened.

    Time never runs backwards: warps are forward only, and a wall clock set back is waited out.
    Nothing happens between two calls of `tick`.
    """

    def __init__(
        self,
        history: Sequence[Segment] = (),
        *,
        first_slot: int = 1,
        offset_ms: int = 0,
        slot_ms: int = SLOT_MS,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        on_segment: Callable[[Segment], None] = lambda segment: None,
    ) -> None:
        self.slot_ms = slot_ms
        self.offset_ms = offset_ms
        self.slot = first_slot
        self.paused = False
        self._wall = wall
        self._monotonic = monotonic
        self._on_segment = on_segment
        self._segments = list(history)
        self._begin(first_slot)

    @property
    def unix_ms(self) -> int:
        """When the open slot opened, milliseconds of cluster time."""
        return self.unix_ms_of(self.slot)

    def unix_ms_of(self, slot: int) -> int:
        """When `slot` opened, milliseconds of cluster time; slots before the first share its time."""
        index = bisect_right(self._segments, slot, key=lambda segment: segment.first_slot) - 1
        if index < 0:
            return self._segments[0].unix_ms
        segment = self._segments[index]
        at = segment.unix_ms + (slot - segment.first_slot) * self.slot_ms
        if index + 1 < len(self._segments):
            return min(at, self._segments[index + 1].unix_ms)
        return at

    def tick(self) -> range:
        """Opens the slots that are due and returns them; a long stall opens one, not hundreds."""
        if self.paused:
            return range(0)
        before = self.slot
        elapsed_ms = (self._monotonic() - self._anchor) * 1000
        due = self._segments[-1].first_slot + int(elapsed_ms // self.slot_ms)
        if due <= before:
            return range(0)
        if due - before > CATCH_UP_SLOTS or self._now_ms() - self._planned_ms(due) > WALL_DRIFT_MS:
            self._begin(before + 1)
        else:
            self.slot = due
        return range(before + 1, self.slot + 1)

    def seconds_until_next(self) -> float:
        """Seconds until the next slot is due; not meaningful while paused."""
        due = self._anchor + (self.slot + 1 - self._segments[-1].first_slot) * self.slot_ms / 1000
        return max(0.0, due - self._monotonic())

    def pause(self) -> None:
        """Stops opening slots; the time of the cluster stands still with them."""
        self.paused = True

    def resume(self) -> range:
        """Opens the next slot at the present time and continues from there; returns that slot."""
        self.paused = False
        return self._open_next()

    def warp(self, milliseconds: int) -> range:
        """Moves cluster time forward in one new slot, which it returns: by no more during a pause, when time stands
        still. Raises ValueError for a step back.
        """
        if milliseconds < 0:
            raise ValueError("time only moves forward")
        now = self._now_ms()
        at = milliseconds + (self.unix_ms if self.paused else max(self.unix_ms, now))
        self.offset_ms += at - now
        return self._open_next(at)

    def skip(self) -> range:
        """Opens the next slot now, due or not, and returns it."""
        return self._open_next()

    def _open_next(self, unix_ms: int | None = None) -> range:
        self._begin(self.slot + 1, unix_ms)
        return range(self.slot, self.slot + 1)

    def _begin(self, first_slot: int, unix_ms: int | None = None) -> None:
        """Begins a run of slots at a moment of cluster time, the present one by default."""
        earliest = self._planned_ms(first_slot - 1) if self._segments else 0
        segment = Segment(first_slot, max(unix_ms or self._now_ms(), earliest))
        self._segments.append(segment)
        self._anchor = self._monotonic()
        self.slot = first_slot
        self._on_segment(segment)

    def _planned_ms(self, slot: int) -> int:
        segment = self._segments[-1]
        return segment.unix_ms + max(0, slot - segment.first_slot) * self.slot_ms

    def _now_ms(self) -> int:
        return int(self._wall() * 1000) + self.offset_ms
