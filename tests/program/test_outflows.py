"""Each instruction pays the accounts that docs/payments.md lists for it, and the audit of every other test holds it to
that. Invariant SYS-7."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from .attacks.cases import INSTRUCTIONS
from .harness.audit.outflows import check_outflows, gains, table
from .harness.outcome import Outcome
from .harness.scenarios import SCENARIOS, accounts_of

PAYS_IN_OTHER_STATES = {"execute_proposal", "start_rental", "sweep_stakers", "take_over"}
"""Only some actions pay, and a share goes out only where the pool has no stream for it: `test_payees` shows both. An
order pays as it takes over only where the host has ended the holder: `test_departed_holder`. Only a request has a
matcher: `test_matcher_tip`."""


def test_table__accounts__are_those_of_their_instruction() -> None:
    for name, row in table().items():
        known = {account["name"] for account in accounts_of(name)} | (
            {"others"} if name in ("execute_proposal", "start_rental") else set()
        )
        assert row.payouts | row.lamports <= known, name


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instruction__as_it_is_meant__pays_what_the_table_says(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    outcome = world.act(instruction)
    paid = list(gains(outcome))
    assert bool(paid) == (name in table().keys() - PAYS_IN_OTHER_STATES), paid
    check_outflows(outcome)


def test_check_outflows__account_that_the_table_does_not_list__is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    world, instruction = SCENARIOS["settle_rental"]()
    outcome = world.act(instruction)
    rows = {**table(), "settle_rental": table()["sweep_fees"]}
    monkeypatch.setattr("tests.program.harness.audit.outflows.table", lambda: rows)
    with pytest.raises(AssertionError, match="settle_rental"):
        check_outflows(outcome)


def test_check_outflows__account_that_is_not_associated__is_noticed() -> None:
    world, instruction = SCENARIOS["settle_rental"]()
    outcome = world.act(instruction)
    ((gain,),) = [[gain for gain in gains(outcome) if gain.into]]
    moved = {(Pubkey.new_unique() if key == gain.address else key): state for key, state in outcome.after.items()}
    states = {key: outcome.before.get(key, outcome.before[gain.address]) for key in moved}
    told = Outcome(states, moved, outcome.events, 0, (), 0, outcome.instructions)
    with pytest.raises(AssertionError):
        check_outflows(told)
