"""Version of the message that a keeper packs into, and batches whose failure names no ending. Invariant KPR-2."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors import TransactionRefused
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import MessageVersion, Simulation
from keeper.form import choose_packer
from keeper.loop import run_once
from keeper.names import BatchMode
from keeper.packing import Batch, Packer
from keeper.trial import Poisoned, try_batch
from tests.anchor_client.solana.older_node import refuse_version_1
from tests.keeper.batches import batch_sizes
from tests.markets.parties import DURATION, SettingsOf, World


@pytest.mark.parametrize(
    ("mode", "version"),
    [
        (BatchMode.AUTO, MessageVersion.V1),
        (BatchMode.LEGACY, MessageVersion.LEGACY),
        (BatchMode.V0, MessageVersion.V0),
        (BatchMode.V1, MessageVersion.V1),
    ],
)
async def test_choose_packer__mode__is_the_version(
    world: World, settings: SettingsOf, mode: BatchMode, version: MessageVersion
) -> None:
    packer = await choose_packer(world.reader, Pubkey.new_unique(), settings(batch_mode=mode))
    assert packer.version is version


async def test_run_once__node_without_version_1__ends_in_legacy_messages(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.running(5)
    world.warp(DURATION)
    refuse_version_1(monkeypatch)
    summary = await run_once(settings())
    assert batch_sizes(summary) == (4, 1)


async def test_run_once__failure_that_names_no_ending__is_found_by_halves(
    world: World, settings: SettingsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    parties = world.running(9)
    poison = parties[5].rentals[0]
    tried: list[int] = []

    async def nameless(reader: Reader, packer: Packer, batch: Batch) -> Simulation | Poisoned:
        tried.append(len(batch.endings))
        if all(ending.due.address != poison for ending in batch.endings):
            return await try_batch(reader, packer, batch)
        return Poisoned(
            TransactionRefused("The cluster refused"), batch.endings[0] if len(batch.endings) == 1 else None
        )

    monkeypatch.setattr("keeper.dispatch.try_batch", nameless)
    world.warp(DURATION)

    summary = await run_once(settings())

    assert {ended.rental for ended in summary.ended} == {p.rentals[0] for p in parties} - {poison}
    assert set(summary.failed) == {poison} and summary.exit_code == 1
    assert tried[0] == 9 and 1 in tried and len(tried) <= 1 + 2 * 4
