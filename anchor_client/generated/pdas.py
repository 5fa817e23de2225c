"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.idl_runtime.addresses import find_address

from .program import PROGRAM_ID

__all__ = [
    "find_associated_token",
    "find_event_authority",
    "find_host",
    "find_listing",
    "find_market",
    "find_payment_mint",
    "find_rental",
    "find_renter_profile",
    "find_request",
    "find_vault",
]


def find_associated_token(owner: Pubkey, token_program: Pubkey, mint: Pubkey) -> tuple[Pubkey, int]:
    """The address and bump of an associated token."""
    return find_address(
        Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
        bytes(owner),
        bytes(token_program),
        bytes(mint),
    )


def find_event_authority(program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of an event authority."""
    return find_address(program_id, b"__event_authority")


def find_host(authority: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a host."""
    return find_address(program_id, b"host", bytes(authority))


def find_listing(host: Pubkey, id: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a listing."""
    return find_address(program_id, b"listing", bytes(host), id.to_bytes(4, "little"))


def find_market(program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a market."""
    return find_address(program_id, b"market")


def find_payment_mint(mint: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a payment mint."""
    return find_address(program_id, b"mint", bytes(mint))


def find_rental(renter: Pubkey, nonce: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a rental."""
    return find_address(program_id, b"rental", bytes(renter), nonce.to_bytes(8, "little"))


def find_renter_profile(wallet: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a renter profile."""
    return find_address(program_id, b"renter", bytes(wallet))


def find_request(renter: Pubkey, nonce: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a request."""
    return find_address(program_id, b"request", bytes(renter), nonce.to_bytes(8, "little"))


def find_vault(mint: Pubkey, shard: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a vault."""
    return find_address(program_id, b"vault", bytes(mint), shard.to_bytes(1, "little"))
