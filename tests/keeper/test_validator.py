"""The keeper on Agave's own validator, whose clock only passes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.generated.accounts import Rental, RenterProfile
from anchor_client.generated.constants import USD
from anchor_client.generated.instructions import accept_rental, heartbeat, open_rental, start_rental
from anchor_client.generated.pdas import (
    find_host,
    find_listing,
    find_payment_mint,
    find_rental,
    find_renter_profile,
    find_stake,
    find_vault,
)
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import MarketParameter, Order, RentalKind
from anchor_client.market.program import MarketProgram
from anchor_client.solana.node import NodeClient
from anchor_client.solana.rpc import Reader
from anchor_client.solana.tokens import associated_token
from anchor_client.solana.transactions import MessageVersion, TransactionSender
from anchor_client.solana.wallet import Wallet
from keeper.journal import open_journal
from keeper.loop import run_once
from keeper.names import BatchMode
from keeper.settings import KeeperSettings
from keeper.table.closing import close_tables
from keeper.table.shared import shared_addresses
from keeper.table.upkeep import TableUpkeep
from local_market.keys import MarketKeyring
from local_market.seed import seed_market
from local_market.terms import LocalTerms
from tests.keeper.batches import batch_sizes
from tests.markets.spec import SPEC
from tests.processes.validator import running

DURATION = 5
TERMS = LocalTerms(
    parameters={
        MarketParameter.ORDER_MIN_USD: 0,
        MarketParameter.MIN_CHARGE_SECONDS: DURATION,
        MarketParameter.MIN_DURATION: DURATION,
        MarketParameter.PRIORITY_WINDOW: 0,
        MarketParameter.TIP_LAMPORTS: USD // 50,
    }
)

pytestmark = [pytest.mark.validator, pytest.mark.xdist_group("validator")]


@pytest.fixture
def keys() -> MarketKeyring:
    """The keys of the market."""
    return MarketKeyring.from_seed("keeper on a validator")


@pytest.fixture
def url(keys: MarketKeyring, xprocess: XProcess, tmp_path: Path) -> Iterator[str]:
    """A validator with the program."""
    with running(xprocess, tmp_path / "ledger", upgrade_authority=keys.authority.pubkey()) as validator:
        yield validator.http_url


@pytest.fixture
async def client(url: str) -> AsyncIterator[NodeClient]:
    """A client of the validator."""
    connected = NodeClient(url)
    yield connected
    await connected.close()


async def test_run_once__expired_rentals_on_agave__end_for_their_tips(
    client: NodeClient, url: str, keys: MarketKeyring
) -> None:
    seeded = await seed_market(client, keys, terms=TERMS, machines={region: [SPEC] for region in keys.hosts})
    mint = seeded.tokens.market_token.mint
    for mode in (BatchMode.AUTO, BatchMode.LEGACY):
        await rent_everything(client, keys, mint)
        await assert_ended(client, KeeperSettings(rpc_url=url, keypair=keys.keeper, batch_mode=mode))


async def test_refresh__table_of_its_own_on_agave__is_usable_and_can_be_deactivated(
    client: NodeClient, keys: MarketKeyring, tmp_path: Path
) -> None:
    await seed_market(client, keys, terms=TERMS, machines={region: [] for region in keys.hosts})
    reader, wallet = Reader(client, PROGRAM_ID), Wallet(keys.keeper)
    async with open_journal(tmp_path / "state") as journal:
        upkeep = TableUpkeep(reader, journal, wallet, 0)
        await upkeep.refresh()
        table = await upkeep.usable()
        assert table is not None and set(table.addresses) == set(await shared_addresses(reader, wallet.pubkey))
        [left] = await close_tables(reader, journal, wallet)
        assert left.address == table.key and left.slots_left
        assert await upkeep.usable() is None


async def assert_ended(client: NodeClient, settings: KeeperSettings) -> None:
    """Waits until every rental has expired, and has a keeper end them in one transaction."""
    reader = Reader(client, PROGRAM_ID)
    rentals = await reader.read_all(Rental)
    ends = max(rental.started_at + rental.duration for rental in rentals.values())
    while await reader.now() < ends:  # noqa: ASYNC110
        await asyncio.sleep(0.4)
    before = await reader.balance(settings.wallet().pubkey)

    summary = await run_once(settings)

    assert {ended.rental for ended in summary.ended} == set(rentals) and summary.exit_code == 0
    assert batch_sizes(summary) == (5,), "one renter: fewer accounts than distinct parties have"
    assert await reader.read_all(Rental) == {}
    gained = await reader.balance(settings.wallet().pubkey) - before
    assert gained == summary.earned_lamports - summary.spent_lamports


async def rent_everything(client: NodeClient, keys: MarketKeyring, mint: Pubkey) -> None:
    """The renter takes every host's machine; each is accepted and started."""
    sender, renter = TransactionSender(client, MarketProgram()), keys.renter.pubkey()
    profile = await Reader(client, PROGRAM_ID).read(RenterProfile, find_renter_profile(renter)[0])
    assert profile is not None
    nonce = profile.next_nonce
    machines = [(host.wallet, find_listing(find_host(host.wallet.pubkey())[0], 0)[0]) for host in keys.hosts.values()]
    vault = find_vault(mint, 0)[0]

    async def beat(host: Keypair, listing: Pubkey) -> None:
        meta = AccountMeta(listing, is_signer=False, is_writable=True)
        await sender.send(
            [heartbeat(operator=host.pubkey(), host=find_host(host.pubkey())[0], remaining_accounts=[meta])], payer=host
        )

    async def start(host: Keypair, listing: Pubkey, rental: Pubkey) -> None:
        accept = accept_rental(
            connection=b"sealed",
            operator=host.pubkey(),
            rental=rental,
            listing=listing,
        )
        await sender.send([accept, start_rental(operator=host.pubkey(), rental=rental, listing=listing)], payer=host)

    def opening(number: int, host: Keypair, listing: Pubkey) -> Instruction:
        return open_rental(
            nonce=nonce + number,
            order=Order(
                kind=RentalKind.ON_DEMAND,
                duration=DURATION,
                max_deposit=2**63,
                order_hash=bytes(32),
                bid_usd=0,
                spec_version=1,
                may_finish=False,
            ),
            renter=renter,
            payment_mint=find_payment_mint(mint)[0],
            vault=vault,
            vault_token=associated_token(vault, mint),
            listing=listing,
            host=find_host(host.pubkey())[0],
            host_stake=find_stake(host.pubkey())[0],
            renter_token=associated_token(renter, mint),
        )

    await asyncio.gather(*(beat(*machine) for machine in machines))
    openings = [opening(number, *machine) for number, machine in enumerate(machines)]
    await sender.send(openings, payer=keys.renter, version=MessageVersion.V1)
    rentals = [find_rental(renter, nonce + number)[0] for number in range(len(machines))]
    await asyncio.gather(*(start(*machine, rental) for machine, rental in zip(machines, rentals, strict=True)))
