"""Outcomes of transactions, and assertions that one is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import pytest
from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.errors import ProgramError
from anchor_idl.runtime.structs import Event

E = TypeVar("E", bound=Event)

States = Mapping[Pubkey, Account | None]


class Refused(Exception):
    """The runtime or another program refused the transaction; `reason` is the runtime's own word for it."""

    def __init__(self, reason: str, logs: list[str]) -> None:
        super().__init__("\n".join([reason, *logs]))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Outcome:
    """A transaction that succeeded; `before` and `after` hold every account it named, and `size` is its length on
    the wire."""

    before: States
    after: States
    events: tuple[Event, ...]
    compute_units: int
    logs: tuple[str, ...]
    size: int
    instructions: tuple[Instruction, ...]

    @property
    def programs(self) -> frozenset[Pubkey]:
        """Those that it called itself."""
        return frozenset(instruction.program_id for instruction in self.instructions)

    @property
    def signers(self) -> frozenset[Pubkey]:
        """Whoever its instructions name as signers."""
        return frozenset(meta.pubkey for each in self.instructions for meta in each.accounts if meta.is_signer)

    def event(self, kind: type[E]) -> E:
        """The one event, which is of this kind."""
        assert [type(event) for event in self.events] == [kind]
        event = self.events[0]
        assert isinstance(event, kind)
        return event

    def lamports_gained(self, address: Pubkey) -> int:
        return _lamports(self.after[address]) - _lamports(self.before[address])


@contextmanager
def expect(error: type[ProgramError]) -> Iterator[None]:
    """The body is refused with exactly this error of the program."""
    with pytest.raises(ProgramError) as caught:
        yield
    assert type(caught.value) is error, f"expected {error.__name__}, got {caught.value}"


@contextmanager
def expect_refusal() -> Iterator[None]:
    """The body is refused, by the program or before it comes to a check of its own."""
    with pytest.raises((ProgramError, Refused)):
        yield


def _lamports(account: Account | None) -> int:
    return 0 if account is None else account.lamports
