"""Tasks that a keeper may do for an account, and when."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.payment_tokens import payout_account


@dataclass(frozen=True, slots=True)
class Subject:
    """An account that a task may be due for. Each area adds what its tasks read."""

    address: Pubkey

    @property
    def tip(self) -> int:
        """Lamports escrowed for whoever ends it."""
        return 0

    @property
    def batch_key(self) -> bytes:
        """The same for subjects that share a vault, so that they are packed together."""
        return b""

    @property
    def rests_until(self) -> int:
        """Unix seconds before which it is not repeated, even if it seems due."""
        return 0

    @property
    def max_retry_seconds(self) -> float | None:
        """The longest wait before another attempt; None for the keeper's own."""
        return None


S = TypeVar("S", bound=Subject)


@dataclass(frozen=True, slots=True)
class Payee:
    """A party to be paid in a mint."""

    owner: Pubkey
    mint: Pubkey

    @property
    def account(self) -> Pubkey:
        """Account that the program pays them at, whoever calls it."""
        return payout_account(self.owner, self.mint)


@dataclass(frozen=True, slots=True)
class Parties:
    """Parties that a task pays; None for a party that gets nothing."""

    host: Payee | None = None
    renter: Payee | None = None


@dataclass(frozen=True, slots=True)
class TaskAccounts:
    """The accounts of an instruction that cannot be derived from its subject."""

    caller: Pubkey
    host_payout: Pubkey
    renter_payout: Pubkey
    program_id: Pubkey


def _never(_: Any) -> int | None:
    return None


def _whole_tip(subject: Subject) -> int:
    return subject.tip


def _nobody(_: Any) -> Parties:
    return Parties()


@dataclass(frozen=True, slots=True)
class Task(Generic[S]):
    """Something anyone may do for an account: permissionless on chain and harmless to repeat.

    `due_at` is when it may first be done, unix seconds, and `ends_at` when no longer; None for never in the current
    state. `build` gives the instructions. An ending pays `tip` of the subject, but for those in which nobody waits
    for a caller; a crank never does.
    """

    name: str
    due_at: Callable[[S], int | None]
    build: Callable[[S, TaskAccounts], Sequence[Instruction]]
    parties: Callable[[S], Parties] = _nobody
    ends_at: Callable[[S], int | None] = _never
    pays_tip: bool = False
    tip: Callable[[S], int] = _whole_tip
    """Lamports for its caller, if it pays any."""
    pays_later: bool = False
    """True if the caller gets them only once the rental starts, in another's transaction."""
    apart: bool = False
    """True if each instruction needs a separate transaction."""

    def is_due(self, subject: S, now: int) -> bool:
        """True if it may be done at `now`."""
        due_at = self.due_at(subject)
        ends_at = self.ends_at(subject)
        return due_at is not None and due_at <= now and (ends_at is None or now < ends_at)


@dataclass(frozen=True, slots=True)
class DueTask(Generic[S]):
    """A task that may be done for a subject since `due_at`, unix seconds."""

    task: Task[S] = field(repr=False)
    subject: S = field(repr=False)
    due_at: int

    @property
    def address(self) -> Pubkey:
        """The subject's address."""
        return self.subject.address

    @property
    def income(self) -> int:
        """Lamports that it is worth to its caller, now or later."""
        return self.task.tip(self.subject) if self.task.pays_tip else 0

    @property
    def tip(self) -> int:
        """Lamports that its own transaction pays its caller."""
        return 0 if self.task.pays_later else self.income

    @property
    def parties(self) -> Parties:
        """The parties to be paid."""
        return self.task.parties(self.subject)


def find_due(tasks: Iterable[Task[S]], subjects: Collection[S], now: int) -> list[DueTask[S]]:
    """Tasks due at `now`: the first due one for each subject; within a task the longest overdue first."""
    found: dict[Pubkey, DueTask[S]] = {}
    for task in tasks:
        due = [DueTask(task, each, task.due_at(each) or 0) for each in subjects if task.is_due(each, now)]
        for entry in sorted(due, key=lambda entry: (entry.due_at, bytes(entry.address))):
            found.setdefault(entry.address, entry)
    return list(found.values())


def next_due_at(tasks: Iterable[Task[S]], subjects: Collection[S], now: int) -> int | None:
    """The earliest moment after `now` at which a task becomes due; None if none does in the current state."""
    times = (task.due_at(subject) for task in tasks for subject in subjects)
    return min((time for time in times if time is not None and time > now), default=None)
