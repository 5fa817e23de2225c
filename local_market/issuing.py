"""Issues a local market's tokens, whose mint authority is the market's."""

from __future__ import annotations

from pathlib import Path

from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.market import Market
from anchor_client.solana.issuing import issue
from anchor_client.solana.transactions import Sent
from anchor_client.solana.wallet import Wallet
from local_market.keys import key_path


async def funded_wallet(market: Market, keys: Path, mint: Pubkey, amount: int) -> Wallet:
    """A new wallet with 1 SOL and `amount` base units, minted by the local market's authority."""
    wallet = Wallet.generate()
    await issue_to(market, keys, mint, wallet.pubkey, amount, lamports=LAMPORTS_PER_SOL)
    return wallet


async def issue_to(market: Market, keys: Path, mint: Pubkey, owner: Pubkey, amount: int, *, lamports: int = 0) -> Sent:
    """Mints `amount` base units to a wallet, and sends it SOL."""
    authority = Wallet.from_file(key_path(keys, "authority"))
    give = TransferParams(from_pubkey=authority.pubkey, to_pubkey=owner, lamports=lamports)
    gifts = [transfer(give)] if lamports else []
    return await market.signing_as(authority).send(*gifts, *issue(authority.pubkey, owner, mint, amount))
