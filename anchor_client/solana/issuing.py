"""Makes and issues tokens: what a mint's authority does when a market opens, and for wallets of one for tests."""

from __future__ import annotations

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, create_account
from spl.token.constants import MINT_LEN, TOKEN_PROGRAM_ID
from spl.token.instructions import initialize_mint2, mint_to
from spl.token.models import InitializeMint2Params, MintToParams

from anchor_client.solana.tokens import associated_token, create_associated_token


def make_mint(authority: Pubkey, mint: Pubkey, decimals: int, rent: int) -> list[Instruction]:
    """Instructions that make a mint, which `authority` pays and may mint; the mint's key signs too.

    `rent` is what a mint needs to be rent-exempt, in lamports.
    """
    account = CreateAccountParams(
        from_pubkey=authority, to_pubkey=mint, lamports=rent, space=MINT_LEN, owner=TOKEN_PROGRAM_ID
    )
    terms = InitializeMint2Params(decimals=decimals, program_id=TOKEN_PROGRAM_ID, mint=mint, mint_authority=authority)
    return [create_account(account), initialize_mint2(terms)]


def issue(authority: Pubkey, owner: Pubkey, mint: Pubkey, amount: int) -> list[Instruction]:
    """Instructions that open an owner's token account, which the authority pays, and mint base units to it."""
    purse = associated_token(owner, mint)
    minted = MintToParams(program_id=TOKEN_PROGRAM_ID, mint=mint, dest=purse, mint_authority=authority, amount=amount)
    return [create_associated_token(authority, owner, mint), *([mint_to(minted)] if amount else [])]
