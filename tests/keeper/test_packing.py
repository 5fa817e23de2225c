"""Number of endings of distinct parties that land in one transaction."""

from __future__ import annotations

import pytest
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_event_authority, find_market, find_vault
from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.solana.tokens import associated_token
from anchor_client.solana.transactions import MessageVersion
from keeper.loop import run_once
from keeper.names import BatchMode
from keeper.packing import Batch, Packer
from tests.keeper.batches import batch_sizes
from tests.markets.parties import DURATION, OFFLINE_AFTER, PROVISION_TIMEOUT, SettingsOf, World

TABLE_PROGRAM = Pubkey.from_string("AddressLookupTab1e1111111111111111111111111")
LONG = 10 * OFFLINE_AFTER


@pytest.mark.parametrize(
    ("mode", "shards", "fullest"),
    [
        pytest.param(BatchMode.LEGACY, 1, 4, marks=pytest.mark.exhaustive),
        (BatchMode.LEGACY, 4, 4),
        (BatchMode.V0, 1, 4),
        pytest.param(BatchMode.V1, 1, 11, marks=pytest.mark.exhaustive),
        (BatchMode.V1, 4, 11),
        (BatchMode.AUTO, 4, 11),
    ],
)
async def test_pack__expired_rentals_of_distinct_parties__fill_a_transaction(
    world: World, settings: SettingsOf, mode: BatchMode, shards: int, fullest: int
) -> None:
    world.running(12 * shards, shards=shards)
    world.warp(DURATION)
    summary = await run_once(settings(batch_mode=mode))
    assert sum(batch_sizes(summary)) == 12 * shards
    assert batch_sizes(summary)[0] == fullest


@pytest.mark.parametrize(("mode", "fullest"), [(BatchMode.LEGACY, 3), (BatchMode.V1, 8)])
async def test_pack__refunds_to_distinct_parties__still_fill_a_transaction(
    world: World, settings: SettingsOf, mode: BatchMode, fullest: int
) -> None:
    parties = world.running(12, duration=LONG)
    world.warp(100)
    world.beat(*parties)
    world.fall_silent(*parties)
    summary = await run_once(settings(batch_mode=mode))
    assert sum(batch_sizes(summary)) == 12
    assert batch_sizes(summary)[0] == fullest


async def test_pack__lookup_table_of_the_market__makes_room_for_more(world: World, settings: SettingsOf) -> None:
    token = world.tokens.market_token
    vault = find_vault(token.mint, 0)[0]
    vaults = [vault, associated_token(vault, token.mint), token.mint]
    shared = [find_market()[0], *vaults, TOKEN_PROGRAM, find_event_authority()[0]]
    table = lookup_table(world, shared)
    world.running(10)
    world.warp(DURATION)
    summary = await run_once(settings(batch_mode=BatchMode.V0, lookup_table=table))
    assert sum(batch_sizes(summary)) == 10
    assert batch_sizes(summary)[0] == 5


async def test_pack__different_reasons_together__share_a_transaction(world: World, settings: SettingsOf) -> None:
    world.running(2)
    world.warp(DURATION - PROVISION_TIMEOUT)
    for party in [world.party(), world.party()]:
        world.open(party)
    world.warp(PROVISION_TIMEOUT + 2)
    summary = await run_once(settings())
    assert batch_sizes(summary) == (4,)
    assert {ended.task for ended in summary.ended} == {"finalize_rental", "cancel_unstarted"}


def test_ending_of__instruction_of_each__is_its_ending() -> None:
    nothing = Instruction(TOKEN_PROGRAM, b"", [])
    endings = [Stub((nothing,) * count) for count in (1, 3, 2)]
    batch = Batch(tuple(endings), 5_000)  # type: ignore[arg-type]
    assert [endings.index(batch.ending_of(index)) for index in range(6)] == [0, 1, 1, 1, 2, 2]  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        batch.ending_of(6)


def lookup_table(world: World, addresses: list[Pubkey]) -> Pubkey:
    """Makes a lookup table and waits out the slot in which it is not usable yet."""
    authority = world.wallet()
    slot = world.local.cluster.slot - 1
    table, bump = Pubkey.find_program_address([bytes(authority.pubkey()), slot.to_bytes(8, "little")], TABLE_PROGRAM)
    payer = AccountMeta(authority.pubkey(), is_signer=True, is_writable=True)
    system = AccountMeta(Pubkey.default(), is_signer=False, is_writable=False)
    writable = AccountMeta(table, is_signer=False, is_writable=True)
    create = (0).to_bytes(4, "little") + slot.to_bytes(8, "little") + bytes([bump])
    extend = (2).to_bytes(4, "little") + len(addresses).to_bytes(8, "little") + b"".join(map(bytes, addresses))
    world.run(
        authority,
        [
            Instruction(TABLE_PROGRAM, create, [writable, payer, payer, system]),
            Instruction(TABLE_PROGRAM, extend, [writable, payer, payer, system]),
        ],
    )
    world.local.cluster.expire_blockhash()
    return table


class Stub:
    """An ending as far as its instructions."""

    def __init__(self, instructions: tuple[Instruction, ...]) -> None:
        self.instructions = instructions


def test_fits__a_packer_with_a_table__counts_what_it_looks_up() -> None:
    keys = [Pubkey.new_unique() for _ in range(70)]
    table = AddressLookupTableAccount(Pubkey.new_unique(), keys)
    packer = Packer(Pubkey.new_unique(), MessageVersion.V0, 5_000, (table,))
    instruction = Instruction(TOKEN_PROGRAM, b"", [AccountMeta(key, False, True) for key in keys])
    assert not packer.fits([Stub((instruction,))])  # type: ignore[list-item]
