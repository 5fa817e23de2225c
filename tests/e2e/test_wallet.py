"""One command brings back what a wallet's accounts hold beyond their rent."""

from __future__ import annotations

from pathlib import Path

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_stake
from tests.e2e.seeded import UpProcess

GIFT = 1_000_000


@pytest.mark.exhaustive
@pytest.mark.xdist_group("up")
def test_sweep_rent__more_than_the_rent__comes_back_once(up: UpProcess, tmp_path: Path) -> None:
    key = tmp_path / "staker.json"
    wallet = up.console.json("wallet", "new", str(key))["address"]
    mine = ("--keypair", str(key))
    up.console.run("wallet", "airdrop", "1", *mine)
    up.console.run("wallet", "airdrop", "10", "--token", "GPUM", *mine)
    up.console.run("staking", "stake", "5", *mine)
    stake = str(find_stake(Pubkey.from_string(wallet))[0])
    up.call("requestAirdrop", stake, GIFT)
    swept = up.console.json("wallet", "sweep-rent", *mine)
    assert (swept["lamports"], swept["accounts"]) == (str(GIFT), [stake])
    assert up.console.json("wallet", "sweep-rent", *mine) == {"lamports": "0", "accounts": []}
