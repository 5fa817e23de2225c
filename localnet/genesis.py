"""The accounts a new cluster starts with, in addition to LiteSVM's own."""

import solders.token.state as token_state
from solders.account import Account
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.token import ID as TOKEN_PROGRAM

FAUCET_LAMPORTS = 500_000_000 * 10**9
IDENTITY_LAMPORTS = 1_000 * 10**9
NATIVE_MINT = Pubkey.from_string("So11111111111111111111111111111111111111112")
NATIVE_MINT_LAMPORTS = 10**9
NATIVE_DECIMALS = 9


def genesis_accounts(faucet: Pubkey, identity: Pubkey) -> list[tuple[Pubkey, Account]]:
    """The faucet, the node's identity, and the mint of wrapped SOL."""
    native_mint = bytes(token_state.Mint(None, 0, NATIVE_DECIMALS, True, None))
    return [
        (faucet, Account(FAUCET_LAMPORTS, b"", SYSTEM_PROGRAM)),
        (identity, Account(IDENTITY_LAMPORTS, b"", SYSTEM_PROGRAM)),
        (NATIVE_MINT, Account(NATIVE_MINT_LAMPORTS, native_mint, TOKEN_PROGRAM)),
    ]
