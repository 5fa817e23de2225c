"""Token accounts of the original SPL Token program."""

from __future__ import annotations

from typing import Final

from solders.account import Account as ChainAccount
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.token.state import TokenAccount, TokenAccountState

from anchor_client.solana.account_metas import readable, writable
from anchor_client.solana.program_ids import ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM

NATIVE_MINT: Final = Pubkey.from_string("So11111111111111111111111111111111111111112")
TOKEN_ACCOUNT_BYTES: Final = 165
_CREATE_IDEMPOTENT: Final = b"\x01"


def associated_token(owner: Pubkey, mint: Pubkey) -> Pubkey:
    """The associated token account of an owner for an SPL Token mint."""
    return _found(owner, mint)[0]


def associated_token_bump(owner: Pubkey, mint: Pubkey) -> int:
    """The bump of an owner's associated token account for an SPL Token mint."""
    return _found(owner, mint)[1]


def create_associated_token(payer: Pubkey, owner: Pubkey, mint: Pubkey) -> Instruction:
    """Makes the associated token account unless it is there already."""
    return Instruction(
        ASSOCIATED_TOKEN_PROGRAM,
        _CREATE_IDEMPOTENT,
        [
            writable(payer, signs=True),
            writable(associated_token(owner, mint)),
            readable(owner),
            readable(mint),
            readable(SYSTEM_PROGRAM),
            readable(TOKEN_PROGRAM),
        ],
    )


def takes_tokens(account: ChainAccount | None, owner: Pubkey, mint: Pubkey) -> bool:
    """True for a token account of this owner and mint that is not frozen."""
    if account is None or account.owner != TOKEN_PROGRAM or len(account.data) != TOKEN_ACCOUNT_BYTES:
        return False
    held = TokenAccount.from_bytes(account.data)
    return (held.owner, held.mint, held.state) == (owner, mint, TokenAccountState.Initialized)


def balance_in(account: ChainAccount | None) -> int:
    """Base units in a token account; 0 if there is none."""
    return 0 if account is None else TokenAccount.from_bytes(account.data).amount


def _found(owner: Pubkey, mint: Pubkey) -> tuple[Pubkey, int]:
    return Pubkey.find_program_address([bytes(owner), bytes(TOKEN_PROGRAM), bytes(mint)], ASSOCIATED_TOKEN_PROGRAM)
