"""Wallet balances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from solders.pubkey import Pubkey
from solders.token.state import Mint

from anchor_client.amounts import SOL_DECIMALS
from anchor_client.generated.accounts.payment_mint import PaymentMint
from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.solana.rpc import Reader
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, balance_in
from anchor_client.symbols import SOL


@dataclass(frozen=True, slots=True)
class Balance:
    """Base units of one token; SOL counts lamports and leaves wrapped SOL out."""

    symbol: str
    mint: Pubkey
    base_units: int
    decimals: int


async def read_balances(reader: Reader, owner: Pubkey, symbols: Mapping[str, Pubkey]) -> list[Balance]:
    """SOL, every payment mint, and every token with a configured symbol."""
    names = {mint: symbol for symbol, mint in symbols.items()}
    accepted = [payment_mint.mint for payment_mint in (await reader.read_all(PaymentMint)).values()]
    mints = [mint for mint in dict.fromkeys([*names, *accepted]) if mint != NATIVE_MINT]
    purses = [associated_token(owner, mint) for mint in mints]
    accounts = await reader.accounts([*mints, *purses])
    found = [Balance(SOL, NATIVE_MINT, await reader.balance(owner), SOL_DECIMALS)]
    for mint, account, purse in zip(mints, accounts, accounts[len(mints) :], strict=False):
        if account is None or account.owner != TOKEN_PROGRAM:
            continue
        found.append(
            Balance(names.get(mint, str(mint)), mint, balance_in(purse), Mint.from_bytes(account.data).decimals)
        )
    return found
