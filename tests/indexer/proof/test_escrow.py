"""Rentals, meters, requests and debts add up to what the vaults owe, after every transaction. Invariant IDX-5."""

from __future__ import annotations

from sqlalchemy import Engine, select

from indexer.index.ingest import ingest
from indexer.index.proof.reconcile import _open_escrow
from indexer.models import Vault
from tests.indexer.busy import busy
from tests.indexer.tables import names_of
from tests.markets.recorded import Market


def test_escrow__after_each_transaction__is_what_the_vaults_owe(market: Market, sqlite_engine: Engine) -> None:
    busy(market)
    differing = []
    for transaction in market.transactions():
        ingest([transaction], sqlite_engine)
        with sqlite_engine.connect() as connection:
            escrow = _open_escrow(connection)
            differing += [
                (names_of(transaction), vault.address, vault.liabilities - escrow[vault.mint, vault.shard])
                for vault in connection.execute(select(Vault.table))
                if vault.liabilities != escrow[vault.mint, vault.shard]
            ]
    assert differing == []
