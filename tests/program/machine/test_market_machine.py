"""Random acts by random actors and jumps in time; the books must balance after every one of them.

The audit checks each transaction: the money equation, vaults against their tokens, every amount against the
closed formula of its rental (so that settling in steps pays what settling once pays, and nothing is paid twice),
meters, stake and rewards, seqs, rents, tips and reputations, and who has signed. HYPOTHESIS_PROFILE selects for
the long run `ci` (the default, whose every run is the same) or `nightly`.
Invariants SYS-1, SYS-2, SYS-5 to SYS-7, MKT-1 to MKT-3, MKT-7, HST-1 to HST-3, HST-9, HST-10, RNT-1 to RNT-4, RNT-8,
RNT-9, RNT-11, SPT-1 to SPT-6, REQ-1 to REQ-3, CHG-1 to CHG-4, MFP-1, STK-1 to STK-4, GOV-1, GOV-2, GOV-4, GOV-5,
GOV-10 to GOV-12, KPR-1.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.rules.parameters import BY_NAME
from tests.sweeps import nightly

from ..harness.actors import KEEPER
from ..harness.scenarios import IDL
from ..harness.terms import DAY
from .actions import PARAMETERS
from .adversary import Adversary
from .charges import ChargesRules
from .governance import GovernanceRules
from .host import HostRules
from .mfp import MfpRules
from .request import RequestRules
from .spot import SpotRules
from .tally import Tally

QUICK = settings(max_examples=15, stateful_step_count=36, derandomize=True, deadline=None)
PROFILES = {
    "ci": settings(max_examples=110, stateful_step_count=36, derandomize=True, deadline=None),
    "nightly": settings(max_examples=1_400, stateful_step_count=100, deadline=None),
}
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
SHARES = (1, nightly(2))
"""Two halves of a long run, of other seeds."""
LEAST = {"ci": 2_500, "nightly": 100_000}
"""Actions of a share; fewer than examples times steps, since those with many choices are cut short."""
SEEDED = {"initialize_market", "initialize_pool", "initialize_catalog"}
"""Done once, before the market is handed to the machine."""


class MarketMachine(Adversary, SpotRules, RequestRules, HostRules, ChargesRules, MfpRules, GovernanceRules):
    """Every instruction of the program, by those who may and by those who may not."""

    def teardown(self) -> None:
        """Whatever state the market is left in, everybody gets what is theirs."""
        try:
            self.end()
        finally:
            self.release()

    def end(self) -> None:
        """Everything that is open ends, and everyone leaves."""
        self.world.wait(200 * DAY)
        self.end_rentals()
        self.claim_all(KEEPER)
        self.end_challenges()
        self.claim_all(KEEPER)
        self.release_all(KEEPER)
        self.end_requests()
        self.close_meters()
        self.end_proposals()
        self.leave_stakes()
        self.leave_locks()
        self.end_votes()
        for vault in self.world.audit.books.vaults.values():
            assert (vault.liabilities, vault.open_rentals) == (0, 0)
        self.tokens_are_conserved()


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_parameters__that_are_tried__are_within_bounds(parameter: MarketParameter) -> None:
    """A proposal beyond them is refused at its opening, which only some runs come to."""
    least, most = BY_NAME[parameter.name.lower()].allowed(testing=False)
    assert least <= PARAMETERS[parameter][0] <= PARAMETERS[parameter][1] <= most


def test_market__in_the_hands_of_everyone__reaches_every_instruction_and_balances() -> None:
    tally = act_at_random(QUICK, range(40))
    assert never(tally) == SEEDED


@pytest.mark.exhaustive
@pytest.mark.parametrize("share", SHARES)
def test_market__long_in_the_hands_of_everyone__reaches_every_instruction_and_balances(
    share: int, record_property: Callable[[str, object], None]
) -> None:
    tally = act_at_random(PROFILES[PROFILE], range(share, 30, len(SHARES)))
    record_property("actions", tally.actions)
    assert tally.actions >= LEAST[PROFILE]
    assert never(tally) == SEEDED


def act_at_random(profile: settings, numbers: Iterable[int]) -> Tally:
    """Runs of these numbers, until every instruction has succeeded: chance may leave out some that seldom work.

    A run is the same each time it has the same number, if its profile derandomizes.
    """
    tally = Tally()

    def machine() -> MarketMachine:
        return MarketMachine(tally)

    for number in numbers:
        factory: Any = seed(number)(machine) if profile.derandomize else machine
        run_state_machine_as_test(factory, settings=profile)
        if never(tally) == SEEDED:
            break
    print(f"\n{tally}")
    return tally


def never(tally: Tally) -> set[str]:
    """Instructions that have not succeeded."""
    return {each["name"] for each in IDL["instructions"]} - set(tally.succeeded)
