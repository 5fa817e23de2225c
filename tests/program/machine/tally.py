"""Counts of a run's acts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from solders.instruction import Instruction

from ..harness.outcome import Outcome
from .tampering import Kind, Tampering, spec_of


@dataclass(slots=True)
class Tally:
    """Rules that ran, and what became of the instructions they sent."""

    actions: int = 0
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Instructions and the errors that they were refused with."""
    succeeded: Counter[str] = field(default_factory=Counter)
    attacks: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    """Results of tampered instructions, by kind of tampering."""

    def count(self, outcome: Outcome) -> None:
        """Counts what a transaction called, by discriminator."""
        for instruction in outcome.instructions:
            self.succeeded[spec_of(instruction).name] += 1

    def count_refusal(self, instruction: Instruction, error: Exception) -> None:
        self.refused[spec_of(instruction).name, type(error).__name__] += 1

    def count_attack(self, plan: Sequence[Tampering], result: str) -> None:
        """Counts what became of an instruction that was tampered with like this."""
        for tampering in plan:
            self.attacks[tampering.kind, result] += 1

    def __str__(self) -> str:
        attacks = [
            f"{kind.value} {result} {times:,}" for (kind, result), times in sorted(self.attacks.items(), key=str)
        ]
        refused = [f"{name} {error} {times:,}" for (name, error), times in self.refused.most_common()]
        succeeded = [f"{name} {times:,}" for name, times in reversed(self.succeeded.most_common())]
        return (
            f"{self.actions:,} actions, {self.succeeded.total():,} instructions succeeded, "
            f"{self.refused.total():,} were refused\n"
            f"tampered: {'; '.join(attacks)}\n"
            f"refused: {', '.join(refused)}\n"
            f"succeeded: {', '.join(succeeded)}"
        )
