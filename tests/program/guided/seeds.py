"""The tests' acts on the seeded market, as the fuzzer reads them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID

from ..harness import market
from ..harness.actors import HOST, LISTINGS, RIVAL, RIVAL_LISTING
from ..harness.cluster import FIRST_SLOT, START
from ..harness.keys import address, signers
from ..harness.scenarios import IDL
from ..machine import base
from ..machine.test_market_machine import QUICK, act_at_random
from .recorder import Recorder, Sequence

RUNS = range(6, 18)


def seeds() -> dict[str, Any]:
    """The seeded market and runs of the machine on it, until every instruction has succeeded; the same each time."""
    runs = [_opening(), *_runs()]
    return {
        "program": str(PROGRAM_ID),
        "start": START,
        "slot": FIRST_SLOT,
        "fee_payer": str(address("fee payer")),
        "wallets": [str(key) for key in signers()],
        "accounts": [_held(key, account) for key, account in base.seeded_market()[0].items()],
        "sequences": runs,
        "instructions": {bytes(each["discriminator"]).hex(): each["name"] for each in IDL["instructions"]},
    }


def _opening() -> Sequence:
    """Steps that make the seeded market, from nothing."""
    with patch.object(market, "Cluster", Recorder):
        world = market.bare_world()
    market.seed(world, {HOST: LISTINGS, RIVAL: (RIVAL_LISTING,)})
    assert isinstance(world.cluster, Recorder)
    return world.cluster.sequence(bare=True)


def _runs() -> list[Sequence]:
    made: list[Sequence] = []

    class Kept(Recorder):
        def __init__(self, accounts: Mapping[Pubkey, Account] | None = None, now: int = START) -> None:
            super().__init__(accounts, now)
            made.append(self.sequence(bare=False))

    with patch.object(base, "Cluster", Kept):
        act_at_random(QUICK, RUNS)
    return made


def _held(key: Pubkey, account: Account) -> dict[str, Any]:
    return {
        "key": str(key),
        "lamports": account.lamports,
        "data": b64encode(account.data).decode(),
        "owner": str(account.owner),
    }
