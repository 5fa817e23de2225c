"""Addresses of programs that every cluster has."""

from __future__ import annotations

from typing import Final

from solders.pubkey import Pubkey

TOKEN_PROGRAM: Final = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
ASSOCIATED_TOKEN_PROGRAM: Final = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
