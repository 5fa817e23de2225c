"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from typing import Final

from solders.pubkey import Pubkey

PROGRAM_ID: Final = Pubkey.from_string("GPUmktVtMtDdgYRqWcMQxmaPbMGyE2tvYQSdeT1zexm1")
SYSTEM_PROGRAM: Final = Pubkey.from_string("11111111111111111111111111111111")
TOKEN_PROGRAM: Final = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
