"""Seeding: everything of the catalog is there; doing it again or after an interruption adds what is missing."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from solders.signature import Signature
from spl.token.instructions import get_associated_token_address

from anchor_client.deploy.steps import DeployStep
from anchor_client.errors import BadKeyFile
from anchor_client.generated.accounts import Host, Listing, Market, PaymentMint, Vault
from anchor_client.generated.pdas import find_market
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.rules.catalog import GPU_BY_ID, GPU_BY_SLUG, GPU_MODELS, REGION_BY_ID, REGIONS
from anchor_client.solana.node import NodeClient
from anchor_client.solana.rpc import Reader
from anchor_client.solana.tokens import balance_in
from anchor_client.solana.transactions import TransactionSender
from local_market import seed as seed_module
from local_market.delivery import deliver
from local_market.errors import ProgramMissing, TransactionFailed
from local_market.keys import MarketKeyring, key_path
from local_market.machines import OFFERS, machines_by_region
from local_market.seed import seed_market
from local_market.terms import LOCALNET_TERMS
from localnet.server import LocalCluster
from tests.e2e.seeded import SeededCluster


async def test_seed_market__empty_cluster__lists_the_catalog(seeded_cluster: SeededCluster) -> None:
    listings = (await Reader(seeded_cluster.client, PROGRAM_ID).read_all(Listing)).values()
    assert Counter(listing.gpu_model for listing in listings) == {
        GPU_BY_SLUG[slug].id: len(offer.gpu_counts) for slug, offer in OFFERS.items()
    }
    for listing in listings:
        model = GPU_BY_ID[listing.gpu_model]
        assert listing.on_demand_usd == OFFERS[model.slug].gpu_usd * listing.gpu_count
        assert listing.spot_min_usd == listing.on_demand_usd * 6 // 10
        assert listing.reference_usd == OFFERS[model.slug].gpu_usd
        assert listing.vram_gb == model.vram_gb
        assert listing.visible == 1


async def test_seed_market__empty_cluster__one_approved_host_a_region(seeded_cluster: SeededCluster) -> None:
    reader = Reader(seeded_cluster.client, PROGRAM_ID)
    hosts, listings = await reader.read_all(Host), await reader.read_all(Listing)
    assert len(hosts) == len(REGIONS)
    assert all(host.approved == 1 for host in hosts.values())
    regions = {
        listing.host: {own.region for own in listings.values() if own.host == listing.host}
        for listing in listings.values()
    }
    assert all(len(own) == 1 for own in regions.values())
    assert {REGION_BY_ID[region].slug for own in regions.values() for region in own} == {r.slug for r in REGIONS}


async def test_seed_market__empty_cluster__vaults_hold_what_their_ledgers_say(seeded_cluster: SeededCluster) -> None:
    reader = Reader(seeded_cluster.client, PROGRAM_ID)
    vaults = (await reader.read_all(Vault)).values()
    mints = (await reader.read_all(PaymentMint)).values()
    assert Counter(vault.mint for vault in vaults) == {mint.mint: 4 for mint in mints}
    for vault in vaults:
        assert balance_in(await reader.account(vault.token_account)) == vault.subsidy_pool
    tokens = seeded_cluster.seeded.tokens
    pools = {vault.mint: vault.subsidy_pool for vault in vaults}
    assert pools[tokens.market_token.mint] == 25_000_000 * 10**6
    assert pools[tokens.usdc.mint] == pools[tokens.sol.mint] == 0


async def test_seed_market__empty_cluster__parameters_are_the_terms(seeded_cluster: SeededCluster) -> None:
    market = await Reader(seeded_cluster.client, PROGRAM_ID).read(Market, find_market()[0])
    assert market is not None
    for parameter, value in LOCALNET_TERMS.parameters.items():
        assert getattr(market, parameter.name.lower()) == value


async def test_seed_market__empty_cluster__renter_holds_every_token(seeded_cluster: SeededCluster) -> None:
    reader = Reader(seeded_cluster.client, PROGRAM_ID)
    renter, tokens = seeded_cluster.keys.renter.pubkey(), seeded_cluster.seeded.tokens
    for token in (tokens.market_token, tokens.usdc):
        purse = get_associated_token_address(renter, token.mint)
        assert balance_in(await reader.account(purse)) == token.terms.renter_tokens * 10**6
    assert await reader.balance(renter) == LOCALNET_TERMS.renter_lamports


async def test_seed_market__seeded_before__sends_nothing(seeded_cluster: SeededCluster) -> None:
    again = await seed_market(seeded_cluster.client, seeded_cluster.keys)
    assert again.transactions == 0
    assert again.listings == 58


async def test_seed_market__interrupted__goes_on_where_it_stopped(
    empty_cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, sent = MarketKeyring.from_seed("e2e"), []

    async def fail_late(sender: TransactionSender, group: Sequence[DeployStep], what: str) -> Signature:
        sent.append(group)
        if len(sent) == 9:
            raise TransactionFailed(what, "interrupted")
        return await deliver(sender, group, what)

    async with NodeClient(empty_cluster.http_url) as client:
        with monkeypatch.context() as patched:
            patched.setattr(seed_module, "deliver", fail_late)
            with pytest.raises(ExceptionGroup, match="TaskGroup"):
                await seed_market(client, keys)
        rest = await seed_market(client, keys)
        assert rest.transactions > 0
        assert len(await Reader(client, PROGRAM_ID).read_all(Listing)) == 58
        assert len(await Reader(client, PROGRAM_ID).read_all(Vault)) == 12
        assert (await seed_market(client, keys)).transactions == 0


async def test_seed_market__no_program__says_so() -> None:
    async with LocalCluster() as bare, NodeClient(bare.http_url) as client:
        with pytest.raises(ProgramMissing, match=str(PROGRAM_ID)):
            await seed_market(client, MarketKeyring.from_seed("e2e"))


async def test_seed_market__program_of_another_authority__says_so(empty_cluster: LocalCluster) -> None:
    async with NodeClient(empty_cluster.http_url) as client:
        with pytest.raises(ProgramMissing, match="upgrade authority"):
            await seed_market(client, MarketKeyring.from_seed("somebody else"))


def test_machines__whole_catalog__in_proportion_to_nodes() -> None:
    counts = {region: len(machines) for region, machines in machines_by_region().items()}
    nodes, total = sum(region.seed_nodes for region in REGIONS), sum(counts.values())
    assert total == 58
    for region in REGIONS:
        assert abs(counts[region.slug] - total * region.seed_nodes / nodes) <= 1


def test_machines__prices_and_sizes__are_plausible() -> None:
    assert [*OFFERS] == [model.slug for model in GPU_MODELS]
    prices = {slug: offer.gpu_usd for slug, offer in OFFERS.items()}
    assert sorted(prices, key=prices.__getitem__) == [
        "nvidia-rtx-4090-24gb",
        "nvidia-a100-pcie-40gb",
        "nvidia-a100-sxm4-80gb",
        "nvidia-h100-pcie-80gb",
        "nvidia-h100-sxm5-80gb",
        "nvidia-h200-sxm5-141gb",
    ]
    machines = [machine for own in machines_by_region().values() for machine in own]
    assert {machine.gpu_count for machine in machines} == {1, 2, 4, 8}
    for machine in machines:
        assert machine.on_demand_usd == OFFERS[GPU_BY_ID[machine.gpu_model].slug].gpu_usd * machine.gpu_count
        assert machine.ram_gb >= machine.vram_gb * machine.gpu_count


def test_keyring__first_start__keeps_private_files_and_finds_them_again(tmp_path: Path) -> None:
    directory = tmp_path / "keys"
    made = MarketKeyring.load_or_create(directory)
    files = list(directory.iterdir())
    assert len(files) == 8 + len(REGIONS)
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    again = MarketKeyring.load_or_create(directory)
    assert again.renter == made.renter
    assert [host.seal.public for host in again.hosts.values()] == [host.seal.public for host in made.hosts.values()]
    assert MarketKeyring.generate().renter != made.renter


def test_keyring__damaged_file__is_named(tmp_path: Path) -> None:
    MarketKeyring.load_or_create(tmp_path)
    key_path(tmp_path, "oracle").write_text("[1, 2, 3]")
    with pytest.raises(BadKeyFile, match=r"oracle\.json"):
        MarketKeyring.load_or_create(tmp_path)
