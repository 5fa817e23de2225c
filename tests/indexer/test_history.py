from __future__ import annotations

import asyncio
from typing import Any

import pytest

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.http.answer import HttpAnswer
from anchor_client.solana.json_rpc import JsonRpc
from indexer.errors import TransactionMissing
from indexer.index.sources import history
from indexer.index.sources.history import History
from indexer.index.sources.source import Frontier
from indexer.index.transaction import Transaction
from tests.anchor_client.solana.links import Answering
from tests.indexer.node import ScriptedNode
from tests.markets.recorded import Market
from tests.program.harness.flows import running
from tests.program.harness.outcome import expect_refusal

PROGRAM = str(PROGRAM_ID)
LAST_SLOT = 10**9


@pytest.fixture
def busy(market: Market) -> Market:
    """Several slots, some with several transactions."""
    renter = market.renter()
    market.wait(5)
    rental = running(market, renter, listing=market.listings[0])
    market.pass_time(240)
    market.act(market.stop_rental(rental))
    return market


async def read(node: ScriptedNode, frontier: Frontier | None = None, until_slot: int = LAST_SLOT) -> list[Transaction]:
    history = History(node, PROGRAM)
    return [item async for chunk in history.read(frontier, until_slot) for item in chunk]


def frontier_at(transaction: Transaction) -> Frontier:
    return Frontier(transaction.slot, transaction.index, transaction.signature)


@pytest.mark.parametrize("page", [1, 2, 3, 1_000])
@pytest.mark.parametrize("places", [True, False])
async def test_read__any_node__gives_everything_in_the_order_of_the_chain(
    busy: Market, page: int, places: bool
) -> None:
    assert await read(ScriptedNode(busy, page=page, places=places)) == busy.transactions()


async def test_read__node_that_lists_a_slot_out_of_order__is_put_in_the_order_of_the_block(busy: Market) -> None:
    node = ScriptedNode(busy, places=False)
    by_signature = sorted(node.results, key=lambda signature: (node.results[signature]["slot"], signature))
    node.results = {signature: node.results[signature] for signature in by_signature}
    assert list(node.results) != [item.signature for item in busy.transactions()]
    assert await read(node) == busy.transactions()
    assert "getBlock" in node.calls


async def test_read__from_any_frontier__gives_exactly_the_rest(busy: Market) -> None:
    everything = busy.transactions()
    for index, transaction in enumerate(everything):
        assert await read(ScriptedNode(busy, page=2), frontier_at(transaction)) == everything[index + 1 :]


async def test_read__frontier_that_the_node_has_forgotten__gives_exactly_the_rest(busy: Market) -> None:
    everything = busy.transactions()
    page = 4
    place = 1 if (len(everything) - 1) % page else 2  # not the end of a page, from which the node would have to go on
    node = ScriptedNode(busy, page=page)
    node.forgotten = {everything[place].signature}
    assert await read(node, frontier_at(everything[place])) == everything[place + 1 :]


async def test_read__until_a_slot__stops_behind_it(busy: Market) -> None:
    everything = busy.transactions()
    slot = everything[len(everything) // 2].slot
    assert await read(ScriptedNode(busy), until_slot=slot) == [item for item in everything if item.slot <= slot]


async def test_read__listed_transaction_missing__stops_before_it(busy: Market) -> None:
    node = ScriptedNode(busy)
    node.forgotten = {busy.transactions()[4].signature}
    with pytest.raises(TransactionMissing, match=busy.transactions()[4].signature):
        await read(node)


async def test_read__failed_transaction__comes_without_being_fetched(busy: Market) -> None:
    with expect_refusal():
        busy.act(busy.open_rental(busy.renter(), max_deposit=0))
    failed = busy.records[-1]
    assert failed.err is not None
    node = ScriptedNode(busy)
    last = (await read(node))[-1]
    assert (last.signature, last.failed, last.inner) == (str(failed.signature), True, {})
    assert node.calls.count("getTransaction") == len(busy.records) - 1


async def test_list_since__slot__gives_all_from_there(busy: Market) -> None:
    everything = busy.transactions()
    slot = everything[-3].slot
    listed = await History(ScriptedNode(busy, page=2), PROGRAM).list_since(slot, LAST_SLOT)
    assert [entry.signature for entry in listed] == [item.signature for item in everything if item.slot >= slot]


async def test_list_since__empty_page_behind_a_full_one__is_looked_at_again(
    busy: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PAGE", 3)
    node, seen = ScriptedNode(busy, page=3), set[str]()

    def empty_at_first(method: str, params: list[Any], result: Any) -> Any:
        before = params[-1].get("before") if method == "getSignaturesForAddress" else None
        if before is None or before in seen:
            return result
        seen.add(before)
        return []

    node.faults.append(empty_at_first)
    listed = await History(node, PROGRAM).list_since(0, LAST_SLOT)
    assert [entry.signature for entry in listed] == [item.signature for item in busy.transactions()]
    assert len(seen) >= len(listed) // 3


@pytest.mark.parametrize("concurrency", [1, 3, 8])
async def test_read__more_transactions_than_may_be_asked_for__wait_for_each_other(
    busy: Market, concurrency: int
) -> None:
    node = ScriptedNode(busy)
    asked = most = 0
    answer = node._answer

    class Slow(Answering):
        async def post(self, body: bytes) -> HttpAnswer:
            nonlocal asked, most
            many = body.count(b"getTransaction")
            asked += many
            most = max(most, asked)
            await asyncio.sleep(0)
            asked -= many
            return await super().post(body)

    slow = JsonRpc("http://scripted.example", connect=lambda _: Slow(answer))
    history = History(slow, PROGRAM, concurrency=concurrency)
    assert [item async for chunk in history.read(None, LAST_SLOT) for item in chunk] == busy.transactions()
    assert most == concurrency < len(busy.transactions())
