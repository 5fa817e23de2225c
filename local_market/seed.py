"""Seeds a cluster with a market through the program's own instructions, so that an indexer sees everything.

Works against any cluster that has the program, an upgrade authority that is the keyring's, and a faucet: the embedded
one and Agave's solana-test-validator. Seeding again, or after an interruption, does only what is missing.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from solana.rpc.commitment import Confirmed, Processed
from solders.pubkey import Pubkey
from solders.signature import Signature
from spl.token.constants import MINT_LEN

from anchor_client.deploy.steps import DeployStep, pack
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.listing_spec import ListingSpec
from anchor_client.market.program import MarketProgram
from anchor_client.solana.loader import ProgramData, program_data
from anchor_client.solana.node import NodeClient
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import TransactionSender
from anchor_client.solana.transactions.confirmation import Timing
from local_market.addresses import LocalMints
from local_market.delivery import deliver, landed
from local_market.errors import ProgramMissing
from local_market.keys import MarketKeyring
from local_market.machines import machines_by_region
from local_market.steps.configuration import add_payment_mints, add_vaults, open_market
from local_market.steps.hosts import create_listings, register_hosts, register_renters
from local_market.steps.staking import open_catalog, open_staking
from local_market.steps.tokens import create_mints, create_token_accounts
from local_market.steps.wallets import fund_wallets
from local_market.terms import LOCALNET_TERMS, LocalTerms

ACCOUNTS_PER_REQUEST = 100
TIMING = Timing(poll=0.05, rebroadcast=0.5)


@dataclass(frozen=True, slots=True)
class Seeded:
    """Result of seeding a market."""

    tokens: LocalMints
    listings: int
    transactions: int


async def seed_market(
    client: NodeClient,
    keys: MarketKeyring,
    *,
    terms: LocalTerms = LOCALNET_TERMS,
    machines: Mapping[str, Sequence[ListingSpec]] | None = None,
    progress: Callable[[str], None] = lambda phase: None,
) -> Seeded:
    """Completes a seeded market, and returns once all of it is confirmed.

    `machines` are the specs to list, by region slug; the catalog's seed by default. Raises ProgramMissing,
    TransactionFailed, and what the client raises.
    """
    machines = machines_by_region() if machines is None else machines
    tokens = LocalMints.of(keys, terms)
    await _require_program(client, keys.authority.pubkey())
    sender = TransactionSender(client, MarketProgram(), commitment=Processed, timing=TIMING)
    await _airdrop(sender, keys.authority.pubkey(), terms.treasury_lamports)
    mint_rent = await client.get_minimum_balance_for_rent_exemption(MINT_LEN)
    phases = {
        "wallets and mints": [*fund_wallets(keys, terms), *create_mints(keys, tokens, mint_rent)],
        "market, token accounts": [*open_market(keys, tokens, terms), *create_token_accounts(keys, tokens)],
        "payment mints, staking, hosts": [
            *add_payment_mints(keys, tokens),
            *open_staking(keys, tokens),
            *open_catalog(keys, tokens),
            *register_hosts(keys, tokens.market_token.base_units(terms.host_subsidy_tokens)),
            *register_renters(keys, (await Reader(client, PROGRAM_ID, commitment=Processed).clock()).slot),
        ],
        "vaults, listings": [*add_vaults(keys, tokens), *create_listings(keys, machines)],
    }
    signatures: list[Signature] = []
    for name, steps in phases.items():
        progress(name)
        signatures += await _run(sender, name, steps)
    confirmed = TransactionSender(client, MarketProgram(), commitment=Confirmed, timing=TIMING)
    _, last_valid_block_height = await confirmed.latest_blockhash()
    for signature in signatures:
        await landed(confirmed, signature, last_valid_block_height, "seeding")
    return Seeded(tokens, sum(map(len, machines.values())), len(signatures))


async def _run(sender: TransactionSender, name: str, steps: Sequence[DeployStep]) -> list[Signature]:
    """Runs the steps that have not run: those of one payer in order, payers beside each other."""
    existing = await _existing(sender.client, [step.creates for step in steps])
    by_payer: defaultdict[Pubkey, list[DeployStep]] = defaultdict(list)
    for step in steps:
        if step.creates not in existing:
            by_payer[step.payer.pubkey()].append(step)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_run_in_order(sender, name, own)) for own in by_payer.values()]
    return [signature for task in tasks for signature in task.result()]


async def _run_in_order(sender: TransactionSender, name: str, steps: Iterable[DeployStep]) -> list[Signature]:
    return [await deliver(sender, group, name) for group in pack(steps)]


async def _existing(client: NodeClient, addresses: Sequence[Pubkey]) -> set[Pubkey]:
    found: set[Pubkey] = set()
    for start in range(0, len(addresses), ACCOUNTS_PER_REQUEST):
        part = list(addresses[start : start + ACCOUNTS_PER_REQUEST])
        accounts = await client.get_multiple_accounts(part, Processed)
        found.update(address for address, account in zip(part, accounts, strict=True) if account is not None)
    return found


async def _require_program(client: NodeClient, authority: Pubkey) -> None:
    [account] = await client.get_multiple_accounts([program_data(PROGRAM_ID)], Processed)
    code = ProgramData.read(account)
    if code is None:
        raise ProgramMissing(f"the cluster does not have the program {PROGRAM_ID}")
    if code.authority != authority:
        raise ProgramMissing(f"the upgrade authority of {PROGRAM_ID} is not {authority}")


async def _airdrop(sender: TransactionSender, wallet: Pubkey, lamports: int) -> None:
    """Fills the authority's wallet, unless it has been filled before."""
    balance = await sender.client.get_balance(wallet, Processed)
    if balance == 0:
        _, last_valid_block_height = await sender.latest_blockhash()
        signature = await sender.client.request_airdrop(wallet, lamports)
        await landed(sender, signature, last_valid_block_height, "airdrop")
