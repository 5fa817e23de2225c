"""An index that follows a stream of blocks has what one that reads by RPC has, whatever becomes of the stream."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from solders.account import Account
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from sqlalchemy import Engine

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.json_rpc import JsonRpc
from anchor_client.solana.transactions import MessageVersion, compile_message
from anchor_client.solana.yellowstone.generated.geyser_pb2 import (
    SubscribeReplayInfoRequest,
    SubscribeReplayInfoResponse,
    SubscribeRequest,
    SubscribeUpdate,
)
from indexer.errors import GrpcMissing, StreamLost
from indexer.index.sources.choice import source_of
from indexer.index.sources.grpc import stream
from indexer.index.sources.grpc.blocks import Block
from indexer.index.sources.grpc.coverage import Coverage
from indexer.index.sources.grpc.source import GrpcSource
from indexer.index.sources.grpc.stream import BlockStream
from indexer.index.sources.history import History
from indexer.metrics import SOURCE_FAILURES, STREAM_SLOT, STREAMED
from indexer.models import RawEvent
from indexer.settings import IndexerSettings
from indexer.store.database import open_database
from localnet.geyser.server import Context, GeyserServer
from localnet.geyser.window import SlotWindow
from localnet.server import LocalCluster
from tests.anchor_client.solana.proxy import Proxy
from tests.indexer import followed
from tests.indexer.followed import rent
from tests.indexer.service import indexed, until, until_status
from tests.indexer.tables import rows_of
from tests.markets.recorded import Market
from tests.processes.ports import free_ports
from tests.program.harness.actors import HOST
from tests.program.harness.flows import running
from tests.program.harness.keys import address, keypair_of
from tests.sweeps import sampled

PROGRAM = str(PROGRAM_ID)
NEVER = 600.0
TOKEN = "a token of the provider's"
LOOKUP_TABLES = Pubkey.from_string("AddressLookupTab1e1111111111111111111111111")


class Deaf:
    """A cluster behind a proxy whose PubSub cannot be reached."""

    def __init__(self, proxy: Proxy) -> None:
        self.http_url, self.ws_url = proxy.url, "ws://127.0.0.1:9"


class Stuttering(GeyserServer):
    """Gives every block twice, and of each pair of blocks the later one first."""

    async def subscribe(
        self, requests: AsyncIterator[SubscribeRequest], context: Context
    ) -> AsyncIterator[SubscribeUpdate]:
        held: list[SubscribeUpdate] = []
        async for update in super().subscribe(requests, context):
            held.append(update)
            if len(held) == 2:
                for each in (held[1], held[0], held[1], held[0]):
                    yield each
                held.clear()


class Mute(GeyserServer):
    """Does not say where a replay can begin."""

    async def replay_info(self, request: SubscribeReplayInfoRequest, context: Context) -> SubscribeReplayInfoResponse:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED)
        raise AssertionError("abort raises")


@asynccontextmanager
async def following(
    local: LocalCluster, server: GeyserServer, database: Path, **changes: Any
) -> AsyncIterator[tuple[httpx.AsyncClient, Proxy]]:
    """The service on a stream, once that gave a block and the vaults are compared; its nodes are behind a proxy."""
    waits = {"poll_interval": NEVER, "idle_interval": NEVER}
    async with Proxy(local.http_url) as proxy:
        settings = waits | {"grpc_url": server.url, "grpc_token": TOKEN} | changes
        async with indexed(Deaf(proxy), f"sqlite:///{database}", **settings) as api:

            async def settled() -> bool:
                health = await api.get("/health")
                compared = health.status_code == 200 and len(health.json()["reconciliation"]) > 0
                return compared and STREAM_SLOT._value.get() > 0

            await until(settled)
            yield api, proxy


async def slots_pass(live: Market) -> None:
    """Waits for the next slot but one."""
    slot = live.node.slot

    async def passed() -> bool:
        return live.node.slot > slot + 1

    await until(passed)


def same_as_rpc(live: Market, database: Path, folder: Path) -> None:
    followed.same_as_rpc(live, f"sqlite:///{database}", folder)


def server_of(window: SlotWindow, port: int = 0, **changes: Any) -> GeyserServer:
    return GeyserServer(window, port=port, token=TOKEN, **changes)


@pytest.mark.parametrize("commitment", ["confirmed", "finalized"])
async def test_index__on_a_stream__is_that_of_rpc(
    local: LocalCluster, live: Market, tmp_path: Path, commitment: str
) -> None:
    database = tmp_path / "index.db"
    async with (
        server_of(SlotWindow(local.cluster)) as server,
        following(local, server, database, commitment=commitment) as (api, proxy),
    ):
        asked, streamed = proxy.calls["getTransaction"], STREAMED._value.get()
        begun = len(live.records)
        await rent(live, api)
        given = STREAMED._value.get() - streamed
        if commitment == "finalized":
            assert given >= len(live.records) - begun and proxy.calls["getTransaction"] == asked
        else:  # what was confirmed is compared with what nodes say is final, and a node may be first
            assert given > 0
    same_as_rpc(live, database, tmp_path)


async def test_index__server_restarted__has_the_missed_replayed(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    database, window = tmp_path / "index.db", SlotWindow(local.cluster)
    first = server_of(window)
    await first.start()
    async with following(local, first, database) as (api, proxy):
        asked = proxy.calls["getTransaction"]
        # A look that begins while the stream is lost would have RPC give what is missed.
        proxy.statuses["getSignaturesForAddress"] = 503
        await first.stop()
        rental = running(live, live.renter(), listing=live.listings[0])
        await slots_pass(live)
        async with server_of(window, first.port):

            async def is_back() -> bool:
                return STREAM_SLOT._value.get() > 0

            await until(is_back)
            del proxy.statuses["getSignaturesForAddress"]
            await until_status(api, str(rental), "running")
            assert proxy.calls["getTransaction"] == asked
    same_as_rpc(live, database, tmp_path)


@pytest.mark.parametrize("kind", sampled([GeyserServer, Mute], every=2))
async def test_index__outage_longer_than_the_window__has_the_hole_read_by_rpc(
    local: LocalCluster, live: Market, tmp_path: Path, kind: type[GeyserServer]
) -> None:
    database = tmp_path / "index.db"
    first = server_of(SlotWindow(local.cluster))
    await first.start()
    async with following(local, first, database) as (api, proxy):
        asked = proxy.calls["getTransaction"]
        await first.stop()
        lost = running(live, live.renter(), listing=live.listings[0])
        await slots_pass(live)
        later = SlotWindow(local.cluster)  # what was missed is in no window
        async with kind(later, port=first.port, token=TOKEN) as second:
            await until_status(api, str(lost), "running")
            assert proxy.calls["getTransaction"] > asked
            asked = proxy.calls["getTransaction"]
            live.act(live.stop_rental(lost))
            await until_status(api, str(lost), "completed")
            assert proxy.calls["getTransaction"] == asked
            assert len(second.clients) == (1 if kind is GeyserServer else 2)
    same_as_rpc(live, database, tmp_path)


async def test_index__server_down_all_the_time__reads_by_rpc(local: LocalCluster, live: Market, tmp_path: Path) -> None:
    database, failures = tmp_path / "index.db", SOURCE_FAILURES.labels("stream")
    before = failures._value.get()
    grpc_url = f"http://127.0.0.1:{free_ports()}"
    async with indexed(local, f"sqlite:///{database}", grpc_url=grpc_url, poll_interval=0.2) as api:
        await rent(live, api)
    assert failures._value.get() > before
    same_as_rpc(live, database, tmp_path)


@pytest.mark.exhaustive
async def test_index__blocks_doubled_and_swapped__is_that_of_rpc(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    database = tmp_path / "index.db"
    async with (
        Stuttering(SlotWindow(local.cluster), token=TOKEN) as server,
        following(local, server, database, poll_interval=0.2) as (api, _),
    ):
        await rent(live, api)
    same_as_rpc(live, database, tmp_path)


@pytest.mark.exhaustive
async def test_index__v0_with_a_lookup_table_and_v1__are_streamed(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    database = tmp_path / "index.db"
    async with server_of(SlotWindow(local.cluster)) as server, following(local, server, database) as (api, proxy):
        asked = proxy.calls["getTransaction"]
        for transaction in (looked_up(live), version_1(live)):
            record = live.node.execute(transaction)
            live.recorder.landed(record)
            assert record.err is None
            live.node.warp(30)
        await rent(live, api)
        assert proxy.calls["getTransaction"] == asked
    signatures = {row.signature for row in raw_events(database)}
    assert {str(record.signature) for record in live.records[-8:]} & signatures
    same_as_rpc(live, database, tmp_path)


def raw_events(database: Path) -> list[RawEvent]:
    engine = open_database(f"sqlite:///{database}")
    found = rows_of(engine, RawEvent)
    engine.dispose()
    return found


def looked_up(live: Market) -> VersionedTransaction:
    """A heartbeat whose accounts come from a lookup table."""
    beat, payer, table = live.heartbeat(HOST, *live.listings), live.recorder.fee_payer, address("lookup table")
    keys = [meta.pubkey for meta in beat.accounts if not meta.is_signer]
    head = (1).to_bytes(4, "little") + b"\xff" * 8 + bytes(44)
    data = head + b"".join(map(bytes, keys))
    live.node.set_account(table, Account(10**9, data, LOOKUP_TABLES))
    live.node.warp(1)
    tables = [AddressLookupTableAccount(table, keys)]
    message = MessageV0.try_compile(payer, [beat], tables, live.node.latest_blockhash())
    assert message.address_table_lookups
    return signed(message)


def version_1(live: Market) -> VersionedTransaction:
    beat, payer = live.heartbeat(HOST, *live.listings), live.recorder.fee_payer
    return signed(compile_message([beat], payer, live.node.latest_blockhash(), version=MessageVersion.V1))


def signed(message: Any) -> VersionedTransaction:
    signers = message.account_keys[: message.header.num_required_signatures]
    return VersionedTransaction(message, [keypair_of(key) for key in signers])


async def test_source__nobody_reads__holds_no_more_than_it_may(
    local: LocalCluster, live: Market, engine: Engine
) -> None:
    window = SlotWindow(local.cluster, slots=20)
    async with server_of(window) as server, JsonRpc(local.http_url) as rpc:
        history = History(rpc, PROGRAM)
        source = GrpcSource(BlockStream(server.url, TOKEN, PROGRAM, "finalized"), history)
        source._coverage = coverage = Coverage(most_held=2)
        following = asyncio.create_task(source.run())
        assert await source.wait(20)
        for _ in range(30):
            live.beat()
            live.node.warp(30)
            await asyncio.sleep(0)

        async def gone() -> bool:
            live.node.warp(1)
            return coverage.last is not None and window.first > coverage.last + 1

        await until(gone)
        assert len({each.slot for each in coverage.between(0, 2**62)}) <= 3
        until_slot = live.node.finalized_slot
        read = [each async for part in source.read(None, until_slot) for each in part]
        expected = [each async for part in history.read(None, until_slot) for each in part]
        assert read == expected
        source.completed(until_slot)
        assert coverage.between(0, until_slot - 1) == []
        following.cancel()
        await asyncio.wait([following])


async def test_stream__blocks__have_the_transactions_of_rpc(local: LocalCluster, live: Market) -> None:
    window = SlotWindow(local.cluster)
    since = live.node.slot
    running(live, live.renter(), listing=live.listings[0])
    until_slot = live.node.slot
    async with server_of(window) as server, JsonRpc(local.http_url) as rpc:
        streamed = []
        async for block in BlockStream(server.url, TOKEN, PROGRAM, "confirmed").blocks(since):
            assert block.parent == block.slot - 1
            streamed += block.transactions
            if block.slot >= until_slot:
                break
        history = History(rpc, PROGRAM, commitment="confirmed")
        read = [each async for part in history.read(None, until_slot) for each in part if each.slot >= since]
    assert streamed == read and read


async def test_stream__pings__are_answered(local: LocalCluster) -> None:
    async with server_of(SlotWindow(local.cluster), ping_seconds=0.01) as server:
        async for _ in BlockStream(server.url, TOKEN, PROGRAM, "finalized").blocks(None):
            if server.clients[0].pings > 3:
                break


def test_streams__each_on_a_loop_of_its_own__share_one_poller() -> None:
    lost = []
    for _ in range(2):
        with pytest.raises(StreamLost):
            asyncio.run(anext(BlockStream(f"http://127.0.0.1:{free_ports()}", None, PROGRAM, "finalized").blocks(5)))
        gc.collect()
        lost.append([each for each in threading.enumerate() if "_poll_wrapper" in each.name])
    assert lost[0] == lost[1] and len(lost[0]) == 1


def test_stream__imported_after_a_loop_has_ended__is_imported() -> None:
    code = "import asyncio; asyncio.run(asyncio.sleep(0)); import indexer.index.sources.grpc.stream"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("token", ["another", None])
@pytest.mark.parametrize("since", [None, 5])
async def test_stream__wrong_token__is_told(local: LocalCluster, token: str | None, since: int | None) -> None:
    async with server_of(SlotWindow(local.cluster)) as server:
        with pytest.raises(StreamLost, match="UNAUTHENTICATED") as lost:
            await anext(BlockStream(server.url, token, PROGRAM, "finalized").blocks(since))
    assert not lost.value.refused


async def test_stream__message_larger_than_it_takes__is_lost_and_its_block_read_by_rpc(
    local: LocalCluster, live: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "OPTIONS", (("grpc.max_receive_message_length", 1_000),))
    window, since = SlotWindow(local.cluster), live.node.slot
    running(live, live.renter(), listing=live.listings[0])
    until_slot = live.node.slot
    async with server_of(window) as server, JsonRpc(local.http_url) as rpc:
        blocks = BlockStream(server.url, TOKEN, PROGRAM, "confirmed")
        with pytest.raises(StreamLost, match="RESOURCE_EXHAUSTED") as lost:
            async for _ in blocks.blocks(since):
                pass
        history = History(rpc, PROGRAM, commitment="confirmed")
        source = GrpcSource(blocks, history)
        read = [each async for part in source.read(None, until_slot) for each in part]
        assert read == [each async for part in history.read(None, until_slot) for each in part] != []
    assert not lost.value.refused


async def test_stream__slot_that_cannot_be_replayed__is_refused(local: LocalCluster) -> None:
    async with Mute(SlotWindow(local.cluster)) as server:
        with pytest.raises(StreamLost, match="from_slot 0 is not available") as lost:
            await anext(BlockStream(server.url, None, PROGRAM, "finalized").blocks(0))
    assert lost.value.refused


async def test_stream__no_server__is_told() -> None:
    with pytest.raises(StreamLost, match="UNAVAILABLE") as lost:
        await anext(BlockStream(f"http://127.0.0.1:{free_ports()}", None, PROGRAM, "finalized").blocks(5))
    assert not lost.value.refused


def test_coverage__block_that_does_not_follow__begins_anew(market: Market) -> None:
    [one, two, *_] = market.transactions()
    coverage = Coverage()
    assert coverage.add(Block(10, 9, (one,)))
    assert not coverage.add(Block(12, 10, ()))
    assert (coverage.first, coverage.last, coverage.between(0, 99)) == (10, 12, [one])
    assert not coverage.add(Block(12, 10, (two,)))
    assert not coverage.add(Block(11, 10, (two,)))
    assert coverage.between(0, 99) == [one]
    assert coverage.add(Block(15, 14, (two,)))
    assert (coverage.first, coverage.last, coverage.between(0, 99)) == (15, 15, [two])
    assert coverage.add(Block(18, 16, ()))
    assert (coverage.first, coverage.last, coverage.between(0, 99)) == (18, 18, [])


def test_source_of__packages_missing__is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("indexer.index.sources.grpc.source", "indexer.index.sources.grpc.stream"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    settings = IndexerSettings(grpc_url="https://grpc.example")
    with pytest.raises(GrpcMissing):
        source_of(settings, History(JsonRpc("http://rpc.example"), PROGRAM), heard=lambda slot: None)
