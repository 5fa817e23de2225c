"""Mints and token accounts, written as the token program would."""

from __future__ import annotations

from solders.account import Account
from solders.pubkey import Pubkey
from solders.token import ID as TOKEN_PROGRAM
from solders.token.state import Mint, TokenAccount, TokenAccountState

from anchor_client.generated.pdas import find_associated_token

from .cluster import Cluster
from .keys import address

TOKEN_2022 = Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
ASSOCIATED_TOKEN_PROGRAM = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
NATIVE_MINT = Pubkey.from_string("So11111111111111111111111111111111111111112")
MINT_SIZE, TOKEN_ACCOUNT_SIZE = 82, 165


def put_mint(
    cluster: Cluster,
    mint: Pubkey,
    decimals: int = 6,
    supply: int = 0,
    owner: Pubkey = TOKEN_PROGRAM,
    *,
    freezable: bool = True,
    mintable: bool = True,
) -> None:
    """Writes a mint; supply must cover what token accounts are given."""
    freezer = address("freeze authority") if freezable else None
    minter = address("mint authority") if mintable else None
    state = Mint(minter, supply, decimals, True, freezer)
    cluster.set_account(mint, Account(cluster.rent(MINT_SIZE), bytes(state), owner))


def put_tokens(
    cluster: Cluster,
    mint: Pubkey,
    owner: Pubkey,
    amount: int,
    *,
    at: Pubkey | None = None,
    frozen: bool = False,
    delegate: Pubkey | None = None,
    program: Pubkey = TOKEN_PROGRAM,
) -> Pubkey:
    """Writes a token account (the associated one unless told where), from which a delegate may take everything; gives
    its address."""
    where = at or token_address(owner, mint)
    native = mint == NATIVE_MINT
    rent = cluster.rent(TOKEN_ACCOUNT_SIZE)
    status = TokenAccountState.Frozen if frozen else TokenAccountState.Initialized
    state = TokenAccount(
        mint, owner, amount, delegate, status, rent if native else None, 2**64 - 1 if delegate else 0, None
    )
    cluster.set_account(where, Account(rent + amount if native else rent, bytes(state), program))
    return where


def token_address(owner: Pubkey, mint: Pubkey) -> Pubkey:
    """The associated token account."""
    return find_associated_token(owner, TOKEN_PROGRAM, mint)[0]


def payout_address(owner: Pubkey, mint: Pubkey) -> Pubkey:
    """Address that the program pays: the wallet itself for SOL, else the associated token account."""
    return owner if mint == NATIVE_MINT else token_address(owner, mint)


def token_account(account: Account | None) -> TokenAccount | None:
    """The token account in an account, if it is one."""
    if account is None or account.owner != TOKEN_PROGRAM or len(account.data) != TOKEN_ACCOUNT_SIZE:
        return None
    return TokenAccount.from_bytes(account.data)


def supply_of(cluster: Cluster, mint: Pubkey) -> int:
    account = cluster.account(mint)
    assert account is not None
    return Mint.from_bytes(account.data).supply


def balance_of(cluster: Cluster, account: Pubkey) -> int:
    """Tokens in a token account; 0 where there is none."""
    state = token_account(cluster.account(account))
    return 0 if state is None else state.amount
