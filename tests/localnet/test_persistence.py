"""A cluster with a directory resumes where it stopped."""

from pathlib import Path

import pytest
from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM

from localnet.cluster import Cluster
from localnet.errors import TransactionDropped

SOL = 10**9


def test_restart__with_data__keeps_accounts_history_and_time(tmp_path: Path) -> None:
    to, owned = Keypair().pubkey(), Pubkey.new_unique()
    first = Cluster(tmp_path)
    signature = first.airdrop(to, SOL)
    first.set_account(owned, Account(7, b"abc", to, False, 3))
    first.warp(86_400)
    slot, stamp, genesis = first.slot, first.clock.unix_timestamp, first.blockhashes.genesis
    record = first.store.transaction(signature)
    first.close()

    second = Cluster(tmp_path)
    assert second.blockhashes.genesis == genesis
    assert second.slot == slot + 1
    assert stamp <= second.clock.unix_timestamp <= stamp + 2
    assert second.account(to) == Account(SOL, b"", SYSTEM_PROGRAM)
    assert second.account(owned) == Account(7, b"abc", to, False, 3)
    assert second.store.transaction(signature) == record
    assert second.store.count_until(second.slot) == 1
    second.close()


def test_restart__same_transaction__was_already_processed(tmp_path: Path) -> None:
    first = Cluster(tmp_path)
    signature = first.airdrop(Keypair().pubkey(), SOL)
    record = first.store.transaction(signature)
    assert record is not None
    first.close()
    second = Cluster(tmp_path)
    with pytest.raises(TransactionDropped) as dropped:
        second.execute(record.transaction)
    assert dropped.value.err == "AlreadyProcessed"
    second.close()


def test_restart__after_a_crash__never_reuses_a_slot(tmp_path: Path) -> None:
    crashed = Cluster(tmp_path)
    crashed.airdrop(Keypair().pubkey(), SOL)
    crashed.warp(1)
    seen = crashed.slot
    crashed.store._db.rollback()
    resumed = Cluster(tmp_path)
    assert resumed.slot > seen
    assert resumed.store.count_until(resumed.slot) == 1
    resumed.close()


def test_memory__more_than_retained__forgets_the_oldest() -> None:
    cluster = Cluster(retained_transactions=100)
    signatures = []
    for _ in range(12):
        signatures += [cluster.airdrop(Keypair().pubkey(), SOL) for _ in range(10)]
        cluster.warp(0)
    assert cluster.store.transaction(signatures[0]) is None
    assert cluster.store.transaction(signatures[-1]) is not None
    assert cluster.store.first_slot > 0
    assert cluster.store.count_until(cluster.slot) == len(signatures)
    cluster.close()
