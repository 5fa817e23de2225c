"""A cluster that writes down what is done to it, for the fuzzer to repeat and change."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from ..harness.cluster import SLOTS_A_SECOND, START, Cluster
from ..harness.outcome import Outcome

Sequence = dict[str, Any]
"""Steps of one run, and the addresses they name."""


class Recorder(Cluster):
    """Its `steps` name addresses by their place in `keys`; they begin after the accounts that it starts with."""

    def __init__(self, accounts: Mapping[Pubkey, Account] | None = None, now: int = START) -> None:
        self.steps: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self._places: dict[Pubkey, int] = {}
        super().__init__(accounts, now)
        if accounts is not None:
            self.steps.clear()

    def sequence(self, *, bare: bool) -> Sequence:
        """Everything so far and from now on, as the fuzzer reads it."""
        return {"bare": bare, "keys": self.keys, "steps": self.steps}

    @property
    def now(self) -> int:
        return super().now

    @now.setter
    def now(self, at: int) -> None:
        passed = at - super().now
        self.steps.append({"pass": [passed, max(passed, 0) * SLOTS_A_SECOND]})
        Cluster.now.fset(self, at)  # type: ignore[attr-defined]

    def halt(self, seconds: int, slots: int = 0) -> None:
        self.steps.append({"pass": [seconds, max(slots, 0)]})
        super().halt(seconds, slots)

    def skip_slots(self, slots: int) -> None:
        self.steps.append({"pass": [0, slots]})
        super().skip_slots(slots)

    def set_account(self, key: Pubkey, account: Account) -> None:
        self.steps.append(self.put(key, account))
        super().set_account(key, account)

    def give(self, key: Pubkey, lamports: int) -> None:
        recorded = len(self.steps)
        super().give(key, lamports)
        if lamports >= 0:
            # The account that this put is another one in another run.
            self.steps[recorded:] = [{"give": [self._place(key), lamports]}]

    def act(self, *instructions: Instruction) -> Outcome:
        self.steps.append({"act": [self._call(each) for each in instructions]})
        return super().act(*instructions)

    def put(self, key: Pubkey, account: Account) -> dict[str, Any]:
        """Makes the step that puts an account where it is."""
        data = b64encode(account.data).decode()
        return {"put": [self._place(key), account.lamports, data, self._place(account.owner)]}

    def _call(self, instruction: Instruction) -> dict[str, Any]:
        return {
            "program": self._place(instruction.program_id),
            "accounts": [[self._place(it.pubkey), it.is_signer, it.is_writable] for it in instruction.accounts],
            "data": b64encode(instruction.data).decode(),
        }

    def _place(self, key: Pubkey) -> int:
        if key not in self._places:
            self._places[key] = len(self.keys)
            self.keys.append(str(key))
        return self._places[key]
