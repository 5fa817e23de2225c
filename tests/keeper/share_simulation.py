"""Simulates keepers at rentals that fall due: by turns, and in the race with random pauses that turns replace.

python -m tests.keeper.share_simulation prints the table of docs/keep.md.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Final

from anchor_client.solana.node import LAMPORTS_PER_SIGNATURE
from keeper.settings import KeeperSettings
from keeper.share import WorkShare

RENTALS: Final = 100_000
STREAM_SECONDS: Final = 3_600
BATCH: Final = 11
"""Rentals in a transaction."""
SENDING: Final = 1 / 18
"""Seconds of a keeper for a transaction: docs/keep.md's 455 in 25 s."""
TRYING: Final = SENDING / 2
"""Of that, a simulation."""
LOOKING: Final = SENDING / 4
"""A look at a batch's accounts, of which some are gone."""
LANDING: Final = (0.4, 1.2)
SEEN_AFTER: Final = 0.6
"""Until what has landed is confirmed, which is when others can read it."""
PAUSE: Final = 1.0
JITTER: Final = 2.0
"""Longest random pause of keepers that race."""
IN_FLIGHT: Final = 64
CASES: Final = ((1, 0), (4, 0), (4, 3), (16, 0), (16, 12))
"""Keepers, and how many of them die halfway."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Cost of ending all rentals; `late` is the mean from falling due to the end, seconds."""

    seconds: float
    late: float
    transactions: int
    failed: int
    lamports: int

    def cells(self) -> str:
        """Cells of the table."""
        return f"{self.seconds:,.0f} | {self.late:.1f} | {self.failed:,} | {self.lamports:,}"


@dataclass(slots=True, eq=False)
class Keeper:
    """One keeper: rentals by its turns, those it tries again, and batches that wait."""

    turns: Sequence[tuple[float, int]]
    order: Sequence[int]
    next: int = 0
    again: list[int] = field(default_factory=list)
    batches: list[list[int]] = field(default_factory=list)
    in_flight: int = 0
    is_dead: bool = False


@dataclass
class Simulation:
    """Rentals that fall due at `due`, in order; `window` is None for a race."""

    due: Sequence[int]
    keepers: int
    window: float | None
    deaths: int = 0
    seed: int = 1

    def run(self) -> Outcome:
        """Plays until all have ended."""
        self._left = len(self.due)
        self._transactions = self._failed = 0
        for keeper in self._each:
            self._at(self._random.uniform(0, PAUSE), keeper)
        halfway = self._halfway
        now = 0.0
        while self._left:
            now, _, keeper, batch = heapq.heappop(self._events)
            if self.deaths and now >= halfway:
                for dying in self._each[: self.deaths]:
                    dying.is_dead = True
            if batch is not None:
                self._landed(keeper, batch, now)
            elif not keeper.is_dead:
                self._acts(keeper, now)
        late = sum(end - due for end, due in zip(self._ended, self.due, strict=True)) / len(self.due)
        lamports = round(self._transactions * LAMPORTS_PER_SIGNATURE / len(self.due))
        return Outcome(now - self.due[0], late, self._transactions, self._failed, lamports)

    @cached_property
    def _random(self) -> random.Random:
        return random.Random(self.seed)

    @cached_property
    def _ended(self) -> list[float]:
        return [math.inf] * len(self.due)

    @cached_property
    def _count(self) -> Iterator[int]:
        return count()

    @cached_property
    def _events(self) -> list[tuple[float, int, Keeper, list[int] | None]]:
        return []

    @cached_property
    def _halfway(self) -> float:
        alone = len(self.due) / BATCH * SENDING
        return max(self.due[-1], alone / (1 if self.window is None else self.keepers)) / 2

    @cached_property
    def _groups(self) -> list[int]:
        return [self._random.randrange(256) for _ in self.due]

    @cached_property
    def _each(self) -> list[Keeper]:
        return [self._keeper(number) for number in range(self.keepers)]

    def _keeper(self, number: int) -> Keeper:
        if self.window is None:
            return Keeper([(due, rental) for rental, due in enumerate(self.due)], range(len(self.due)))
        share = WorkShare(self.window, f"{self.seed} {number}".encode())
        moments = {due: share.turn_at(due) for due in set(self.due)}
        places = [share.order(bytes([group])) for group in range(256)]
        turns = sorted((moments[due], rental) for rental, due in enumerate(self.due))
        return Keeper(turns, [places[group] for group in self._groups])

    def _at(self, moment: float, keeper: Keeper, batch: list[int] | None = None) -> None:
        heapq.heappush(self._events, (moment, next(self._count), keeper, batch))

    def _there(self, rentals: Sequence[int], now: float) -> list[int]:
        return [rental for rental in rentals if self._ended[rental] + SEEN_AFTER > now]

    def _acts(self, keeper: Keeper, now: float) -> None:
        if not keeper.batches:
            self._looks(keeper, now)
            return
        batch = keeper.batches.pop()
        there = self._there(batch, now)
        cost = 0.0
        if len(there) < len(batch):
            # Those that race find out one by one, each by a simulation.
            cost = LOOKING if self.window is not None else (len(batch) - len(there)) * TRYING
        if there and keeper.in_flight >= IN_FLIGHT:
            keeper.batches.append(batch)
            cost = SENDING
        elif there:
            keeper.in_flight += 1
            cost += SENDING
            self._at(now + self._random.uniform(*LANDING), keeper, there)
        self._at(now + cost, keeper)

    def _looks(self, keeper: Keeper, now: float) -> None:
        found = self._there(keeper.again, now)
        keeper.again = []
        while keeper.next < len(keeper.turns) and keeper.turns[keeper.next][0] <= now:
            found += self._there([keeper.turns[keeper.next][1]], now)
            keeper.next += 1
        found.sort(key=lambda rental: (keeper.order[rental], rental))
        keeper.batches = [found[at : at + BATCH] for at in range(0, len(found), BATCH)][::-1]
        longest = JITTER if self.window is None else PAUSE
        self._at(now + 0.1 + self._random.uniform(0, longest), keeper)

    def _landed(self, keeper: Keeper, batch: Sequence[int], now: float) -> None:
        keeper.in_flight -= 1
        self._transactions += 1
        open_still = [rental for rental in batch if self._ended[rental] == math.inf]
        if len(open_still) < len(batch):
            self._failed += 1
            keeper.again += open_still
            return
        for rental in batch:
            self._ended[rental] = now
        self._left -= len(batch)


def at_once(rentals: int) -> list[int]:
    """All due in the same second."""
    return [0] * rentals


def over_an_hour(rentals: int, seconds: int = STREAM_SECONDS) -> list[int]:
    """Due at random over some seconds."""
    source = random.Random(5)
    return sorted(int(source.uniform(0, seconds)) for _ in range(rentals))


DUE: Final = {"at once": at_once, "over an hour": over_an_hour}


def row(due: str, keepers: int, deaths: int) -> str:
    """A row of docs/keep.md's table."""
    falls_due = DUE[due](RENTALS)
    race = Simulation(falls_due, keepers, None, deaths).run()
    turns = Simulation(falls_due, keepers, KeeperSettings.turn_seconds, deaths).run()
    who = f"{keepers}, {deaths} die" if deaths else str(keepers)
    return f"| {due} | {who} | {race.cells()} | {turns.cells()} |"


if __name__ == "__main__":
    for name in DUE:
        for case in CASES:
            print(row(name, *case), flush=True)
