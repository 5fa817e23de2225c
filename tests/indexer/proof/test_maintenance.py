"""An operator compares the index with the chain, and reads a part of the chain again. Invariant IDX-5."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from solders.account import Account
from solders.token.state import Mint
from spl.token.instructions import burn as spl_burn
from spl.token.models import BurnParams
from sqlalchemy import Engine, delete, update

from indexer.index.proof.maintenance import IndexEmpty, backfill, verify
from indexer.index.rebuild import rebuild
from indexer.models import DeadLetter, PaymentMint, RawEvent, SeqGap, Vault
from indexer.settings import IndexerSettings
from indexer.store.database import migrate, open_database
from indexer.store.events import Origin
from localnet.server import LocalCluster
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.program.harness.actors import GPUM
from tests.program.harness.flows import running
from tests.program.harness.tokens import TOKEN_PROGRAM, token_address

SUPPLY_AT = 36
"""Offset of the supply in a mint's account."""


@pytest.fixture
def settings(local: LocalCluster, tmp_path: Path) -> IndexerSettings:
    return IndexerSettings(
        rpc_url=local.http_url, ws_url=local.ws_url, database_url=f"sqlite:///{tmp_path / 'index.db'}"
    )


@pytest.fixture
async def index(settings: IndexerSettings, live: Market) -> AsyncIterator[Engine]:
    """An index of a market in which a rental was settled and stopped, complete and proven."""
    engine = open_database(settings.database_url)
    migrate(engine)
    rental = running(live, live.renter(), listing=live.listings[0])
    live.pass_time(240)
    live.act(live.settle_rental(rental))
    live.act(live.stop_rental(rental))
    assert (await verify(settings, engine)).problems == []
    yield engine
    engine.dispose()


def raw_events(index: Engine) -> list[RawEvent]:
    """In the chain's order."""
    return sorted(rows_of(index, RawEvent), key=lambda raw: (raw.slot, raw.transaction_index, raw.instruction_index))


def forget(index: Engine, raw: RawEvent) -> int:
    """The index has never seen the transaction of an event; gives how many events that had."""
    with index.begin() as connection:
        gone = connection.execute(delete(RawEvent.table).where(RawEvent.c.signature == raw.signature)).rowcount
    rebuild(index)
    return gone


async def test_verify__index_of_the_chain__agrees_and_tells_totals(
    settings: IndexerSettings, index: Engine, live: Market
) -> None:
    found = await verify(settings, index)
    vaults = rows_of(index, Vault)
    for total in found.mints:
        of_it = [vault for vault in vaults if vault.mint == total.mint]
        assert (total.vaults, total.burned) == (len(of_it), sum(vault.total_burned for vault in of_it))
        held = (
            vault.liabilities + vault.fees_due + vault.stakers_due + vault.treasury_due + vault.subsidy_pool
            for vault in of_it
        )
        assert total.held == sum(held)
    assert sum(total.vaults for total in found.mints) == len(vaults)
    assert sum(total.held for total in found.mints) > 0 < sum(total.burned for total in found.mints)
    assert found.slot > 0 and found.problems == []


def supply_of_gpum(live: Market, change: int) -> None:
    """The mint says so much more than it did."""
    account = live.cluster.account(GPUM)
    assert account is not None
    told = Mint.from_bytes(account.data).supply + change
    data = account.data[:SUPPLY_AT] + told.to_bytes(8, "little") + account.data[SUPPLY_AT + 8 :]
    live.cluster.set_account(GPUM, Account(account.lamports, data, account.owner))


async def test_verify__supply__is_what_there_was_less_what_was_burned(
    settings: IndexerSettings, index: Engine, live: Market
) -> None:
    [supply] = (await verify(settings, index)).supplies
    assert (supply.mint, supply.fixed, supply.elsewhere, supply.difference) == (str(GPUM), True, 0, None)
    assert supply.burned > 0 and supply.supply == supply.baseline - supply.burned


async def test_verify__tokens_burned_by_a_stranger__are_shown_and_no_fault(
    settings: IndexerSettings, index: Engine, live: Market
) -> None:
    stranger = live.renter()
    burn = BurnParams(
        program_id=TOKEN_PROGRAM, account=token_address(stranger, GPUM), mint=GPUM, owner=stranger, amount=1_234
    )
    live.act(spl_burn(burn))
    found = await verify(settings, index)
    assert ([supply.elsewhere for supply in found.supplies], found.problems) == ([1_234], [])


async def test_verify__more_left_than_burns_leave__is_named(
    settings: IndexerSettings, index: Engine, live: Market
) -> None:
    supply_of_gpum(live, 1)
    found = await verify(settings, index)
    [supply] = found.supplies
    assert found.problems == [f"mint {GPUM}: {supply.difference}"]
    assert f"the supply is {supply.supply}" in found.problems[0] and f"less {supply.burned} burned" in found.problems[0]
    supply_of_gpum(live, -1)
    assert (await verify(settings, index)).problems == []


async def test_verify__more_left_where_the_issuer_may_mint__is_shown(
    settings: IndexerSettings, index: Engine, live: Market
) -> None:
    supply_of_gpum(live, 5)
    with index.begin() as connection:
        connection.execute(update(PaymentMint.table).values(mintable=True))
    found = await verify(settings, index)
    assert ([supply.elsewhere for supply in found.supplies], found.problems) == ([-5], [])


async def test_verify__ledger_that_is_wrong__is_named_with_what_differs(
    settings: IndexerSettings, index: Engine
) -> None:
    vault = rows_of(index, Vault)[0]
    with index.begin() as connection:
        changed = {"total_burned": vault.total_burned + 1}
        connection.execute(update(Vault.table).where(Vault.c.address == vault.address).values(changed))
    problem, *_ = (await verify(settings, index)).problems
    assert problem.startswith(f"vault {vault.address}: total_burned is {vault.total_burned + 1} here")


async def test_verify__event_that_could_not_be_read__is_a_problem(settings: IndexerSettings, index: Engine) -> None:
    raw = rows_of(index, RawEvent)[0]
    with index.begin() as connection:
        values = {name: getattr(raw, name) for name in Origin._fields}
        key = {"signature": raw.signature, "instruction_index": 99, "inner_index": 99}
        letter = {**values, **key, "data": raw.data, "error": "Truncated", "detail": "too short"}
        connection.execute(DeadLetter.table.insert().values(**letter))
    [problem] = (await verify(settings, index)).problems
    assert "1 events could not be read" in problem


@pytest.mark.parametrize("until", [None, 10**9])
async def test_backfill__what_is_missing__is_taken_in_and_nothing_else(
    settings: IndexerSettings, index: Engine, until: int | None
) -> None:
    whole = contents(index)
    gone = forget(index, raw_events(index)[-2])
    assert rows_of(index, SeqGap)
    said: list[str] = []
    _, done = await backfill(settings, index, 0, until, told=said.append)
    assert (done.events, contents(index)) == (gone, whole)
    assert said
    assert (await backfill(settings, index, 0, until, told=said.append))[1].events == 0


async def test_backfill__slots_before_what_is_missing__leave_it(settings: IndexerSettings, index: Engine) -> None:
    last = raw_events(index)[-1]
    forget(index, last)
    assert (await backfill(settings, index, 0, last.slot - 1, told=print))[1].events == 0
    assert (await backfill(settings, index, last.slot, last.slot, told=print))[1].events > 0


async def test_backfill__nothing_read_yet__leaves_it_to_the_indexer(settings: IndexerSettings, live: Market) -> None:
    """Transactions before the first slot that was asked for would never be read."""
    engine = open_database(settings.database_url)
    migrate(engine)
    with pytest.raises(IndexEmpty):
        await backfill(settings, engine, 5, None, told=print)
    assert rows_of(engine, RawEvent) == []
    engine.dispose()
