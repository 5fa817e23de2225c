"""Issues test tokens: what a mint's authority does for wallets of a local market or a devnet."""

from __future__ import annotations

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from spl.token.constants import TOKEN_PROGRAM_ID
from spl.token.instructions import mint_to
from spl.token.models import MintToParams

from anchor_client.tokens import associated_token, create_associated_token


def issue(authority: Pubkey, owner: Pubkey, mint: Pubkey, amount: int) -> list[Instruction]:
    """Instructions that open an owner's token account, which the authority pays, and mint base units to it."""
    purse = associated_token(owner, mint)
    minted = MintToParams(program_id=TOKEN_PROGRAM_ID, mint=mint, dest=purse, mint_authority=authority, amount=amount)
    return [create_associated_token(authority, owner, mint), *([mint_to(minted)] if amount else [])]
