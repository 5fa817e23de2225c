"""Summary of a keeper's run, for people and programs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from solders.pubkey import Pubkey
from solders.signature import Signature

from keeper.endings import SkipReason
from keeper.names import CrankName
from keeper.set_aside import SetAside


@dataclass(frozen=True, slots=True)
class EndingDone:
    """A rental that this keeper ended."""

    rental: Pubkey
    task: str
    tip_lamports: int
    signature: Signature


@dataclass(frozen=True, slots=True)
class CrankDone:
    """A crank's task that this keeper did for an account."""

    crank: CrankName
    task: str
    address: Pubkey
    signature: Signature


@dataclass(slots=True)
class KeeperSummary:
    """Rentals ended, skipped by the operator's terms, failed, and lost to other keepers; lamports earned and spent."""

    ended: list[EndingDone] = field(default_factory=list)
    skipped: dict[Pubkey, SkipReason] = field(default_factory=dict)
    failed: dict[Pubkey, SetAside] = field(default_factory=dict)
    cranks: list[CrankDone] = field(default_factory=list)
    cranks_failed: dict[CrankName, dict[Pubkey, SetAside]] = field(default_factory=dict)
    """Tasks that are due and failed, by crank and account."""
    stood_by: bool = False
    """True if it ran once and left everything to the leading keeper."""
    unresolved: int = 0
    """Rentals whose transaction did not land in time, or whose fate is unknown."""
    lost_races: int = 0
    lost_lamports: int = 0
    """Fees of transactions that failed on chain; part of what was spent."""
    transactions: int = 0
    earned_lamports: int = 0
    spent_lamports: int = 0

    @property
    def exit_code(self) -> int:
        """0, or 1 if an ending or a crank failed."""
        if self.failed or self.unresolved or any(self.cranks_failed.values()):
            return 1
        return 0

    def as_dict(self) -> dict[str, Any]:
        """The summary in JSON's types; addresses and signatures in base58, reasons by name."""
        return {
            "ended": [_json(ended) for ended in self.ended],
            "skipped": dict(Counter(str(reason) for reason in self.skipped.values())),
            "failed": [{"rental": str(rental)} | _failure(entry) for rental, entry in self.failed.items()],
            "cranks": [_json(done) for done in self.cranks],
            "cranks_failed": [
                {"crank": str(crank), "address": str(address)} | _failure(entry)
                for crank, entries in self.cranks_failed.items()
                for address, entry in entries.items()
            ],
            "stood_by": self.stood_by,
            "unresolved": self.unresolved,
            "lost_races": self.lost_races,
            "lost_lamports": self.lost_lamports,
            "transactions": self.transactions,
            "earned_lamports": self.earned_lamports,
            "spent_lamports": self.spent_lamports,
        }

    def to_json(self) -> str:
        """`as_dict` as text."""
        return json.dumps(self.as_dict())


def _json(done: EndingDone | CrankDone) -> dict[str, Any]:
    return {name: value if isinstance(value, int) else str(value) for name, value in asdict(done).items()}


def _failure(entry: SetAside) -> dict[str, Any]:
    return {"reason": entry.reason, "message": entry.message, "attempts": entry.attempts}
