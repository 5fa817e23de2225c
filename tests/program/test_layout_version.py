"""An account with the layout of another version of the program is never loaded. Invariant SYS-8."""

from __future__ import annotations

import pytest
from solders.account import Account

from anchor_client.generated import errors
from anchor_client.generated.program import PROGRAM_ID
from tests.sweeps import sampled

from .attacks.cases import INSTRUCTIONS, named_state, works
from .harness.outcome import expect
from .harness.scenarios import SCENARIOS

VERSION = 8
"""Its place in an account's data, behind the discriminator."""
ELSEWISE = {
    ("sweep_rent", "account"): errors.RentNotSwept,
    **{(name, "gpu_model"): errors.WrongGpuModel for name in ("create_listing", "update_listing", "refresh_listing")},
}
"""Errors that refuse it where the account is one of several kinds, or may be missing."""


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_layout_version__not_the_programs__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    world.cluster.observers.clear()
    for account, _, key, state in named_state(world, name, instruction):
        known = state.data[VERSION]
        assert known == 1, account
        for version in (0, known + 1, 255):
            data = bytearray(state.data)
            data[VERSION] = version
            world.cluster.set_account(key, Account(state.lamports, bytes(data), PROGRAM_ID))
            other = ELSEWISE.get((name, account))
            with expect(other) if other else expect(errors.WrongLayout):
                world.act(instruction)
        world.cluster.set_account(key, state)
    assert works(world, instruction)
