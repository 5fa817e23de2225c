"""Slots that a source has marked, as runs without a hole."""

from __future__ import annotations


class Runs:
    """Disjoint runs of slots, each from its first to its last."""

    def __init__(self) -> None:
        self._runs: list[tuple[int, int]] = []

    def add(self, first: int, last: int) -> None:
        """Joins a run with those that it meets."""
        apart = [run for run in self._runs if run[1] + 1 < first or last + 1 < run[0]]
        met = [run for run in self._runs if run not in apart]
        joined = min([first, *(run[0] for run in met)]), max([last, *(run[1] for run in met)])
        self._runs = sorted([*apart, joined])

    def last_from(self, slot: int) -> int:
        """Last slot of the run that `slot` is in; the slot before it where it is in none."""
        return next((last for first, last in self._runs if first <= slot <= last), slot - 1)

    def next_from(self, slot: int) -> int | None:
        """First slot of the next run; None if there is none."""
        return next((first for first, _ in self._runs if first > slot), None)

    def forget(self, before: int) -> None:
        """Lets go of runs that end before a slot."""
        self._runs = [run for run in self._runs if run[1] >= before]

    def cut(self, at: int) -> None:
        """Lets go of a slot and all later ones."""
        self._runs = [(first, min(last, at - 1)) for first, last in self._runs if first < at]
