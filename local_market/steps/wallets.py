"""Funds every wallet from the authority's."""

from __future__ import annotations

from collections.abc import Iterator

from solders.keypair import Keypair
from solders.system_program import TransferParams, transfer

from anchor_client.deploy.steps import DeployStep
from local_market.keys import MarketKeyring
from local_market.terms import LocalTerms


def fund_wallets(keys: MarketKeyring, terms: LocalTerms) -> Iterator[DeployStep]:
    """Lamports for the fees and rent of the oracle, the keeper, the hosts and the renter."""
    yield _fund(keys.authority, keys.renter, terms.renter_lamports)
    for wallet in (keys.oracle, keys.keeper, *(host.wallet for host in keys.hosts.values())):
        yield _fund(keys.authority, wallet, terms.operator_lamports)


def _fund(payer: Keypair, wallet: Keypair, lamports: int) -> DeployStep:
    to = wallet.pubkey()
    return DeployStep(
        to, payer, (transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=to, lamports=lamports)),)
    )
