"""The seeded market: made by transactions once a process, then restored from a snapshot in a few milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.pdas import find_payment_mint, find_vault
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.market_keys import MarketKeys
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.solana.loader import program_data

from .actors import (
    AUTHORITY,
    GPUM,
    GUARDIAN,
    HOST,
    LISTINGS,
    MINTS,
    ORACLE,
    RENTER,
    RIVAL,
    RIVAL_LISTING,
    TENANT,
    TREASURY,
    USDC,
    WALLETS,
    WSOL,
)
from .audit import Audit
from .changes import approve_host
from .cluster import LOADER_V3, PROGRAM_DATA, START, Cluster
from .staking import open_staking
from .terms import GPUM_TERMS, HOUR, MINUTE, SUBSIDY_FUNDED, USDC_TERMS, WALLET_LAMPORTS, WSOL_PRICE, WSOL_TERMS
from .tokens import put_mint, put_tokens
from .world import World

WALLET_TOKENS = 10**14
DECIMALS = {GPUM: 6, USDC: 6, WSOL: 9}


def bare_world() -> World:
    """Wallets with lamports and tokens, and no market yet."""
    cluster = Cluster()
    set_upgrade_authority(cluster, AUTHORITY)
    put_wallets(cluster)
    return World(cluster, Audit(cluster.fee_payer))


def put_wallets(cluster: Cluster) -> None:
    """Everyone's lamports and tokens."""
    for mint in MINTS:
        supply = 0 if mint == WSOL else WALLET_TOKENS * len(WALLETS)
        put_mint(cluster, mint, DECIMALS[mint], supply, freezable=mint == USDC, mintable=mint != GPUM)
    for wallet in WALLETS:
        put_wallet(cluster, wallet)


def put_wallet(cluster: Cluster, wallet: Pubkey) -> None:
    """A wallet's lamports and its tokens of every mint."""
    cluster.set_account(wallet, Account(WALLET_LAMPORTS, b"", Pubkey.default()))
    for mint in MINTS:
        put_tokens(cluster, mint, wallet, WALLET_TOKENS)


def set_upgrade_authority(cluster: Cluster, authority: Pubkey | None, of: Pubkey = PROGRAM_ID) -> None:
    """Writes who may upgrade a program into its ProgramData account."""
    where = program_data(of)
    account = cluster.account(where)
    assert account is not None
    option = b"\0" * 33 if authority is None else b"\1" + bytes(authority)
    data = account.data[:12] + option + account.data[45:]
    cluster.set_account(where, Account(account.lamports, data, LOADER_V3))


def seeded_world() -> World:
    """A market with three payment mints, two hosts, nine listings that were just heard from, two renters
    and an empty stake pool."""
    accounts, audit = _snapshot()
    return World(Cluster(accounts, START), audit.copy())


@cache
def _snapshot() -> tuple[dict[Pubkey, Account], Audit]:
    world = bare_world()
    seed(world, {HOST: LISTINGS, RIVAL: (RIVAL_LISTING,)})
    for renter in (RENTER, TENANT):
        world.act(world.register_renter(renter, AUTHORITY))
    accounts = world.cluster.accounts()
    del accounts[PROGRAM_DATA]
    return accounts, world.audit


def seed(world: World, listings: Mapping[Pubkey, tuple[Pubkey, ...]], *, testing: bool = False) -> None:
    """Opens the market in a bare world, with its payment mints, staking, and hosts that were just heard from."""
    _initialize(world, testing)
    _add_mints(world)
    open_staking(world)
    _add_hosts(world, listings)


def _initialize(world: World, testing: bool) -> None:
    keys = MarketKeys(guardian=GUARDIAN, treasury=TREASURY)
    world.act(
        instructions.initialize_market(
            authority=AUTHORITY, program_data=PROGRAM_DATA, market_mint=GPUM, keys=keys, testing=testing
        )
    )
    for parameter, value in (
        (MarketParameter.MIN_DURATION, HOUR // 2),
        (MarketParameter.OFFLINE_AFTER, 5 * MINUTE),
        (MarketParameter.PRIORITY_WINDOW, 0),
        (MarketParameter.QUOTA_BASE, 10_000),
        (MarketParameter.QUOTA_REGION_BASE, 250),
        (MarketParameter.SUBSIDY_MAX_HOURS, 3_000),
    ):
        world.act(instructions.update_market(authority=AUTHORITY, parameter=parameter, value=value))


def _add_mints(world: World) -> None:
    for mint, terms in ((GPUM, GPUM_TERMS), (USDC, USDC_TERMS), (WSOL, WSOL_TERMS)):
        world.act(instructions.add_payment_mint(authority=AUTHORITY, mint=mint, terms=terms))
        for shard in range(terms.shards):
            put_tokens(world.cluster, mint, find_vault(mint, shard)[0], 0)
            world.act(instructions.add_vault(caller=AUTHORITY, mint=mint, shard=shard))
    world.act(
        instructions.post_price(oracle=ORACLE, payment_mint=find_payment_mint(WSOL)[0], price=WSOL_PRICE),
        world.fund_subsidy(AUTHORITY, SUBSIDY_FUNDED),
    )


def _add_hosts(world: World, listings_of: Mapping[Pubkey, tuple[Pubkey, ...]]) -> None:
    for host, listings in listings_of.items():
        world.act(instructions.register_host(authority=host, seal_key=bytes(host)))
        world.act(approve_host(host))
        for _ in listings:
            world.act(world.create_listing(host))
        world.act(world.heartbeat(host, *listings))
