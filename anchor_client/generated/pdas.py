"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_idl.runtime.addresses import find_address

from .program import PROGRAM_ID

__all__ = [
    "find_associated_token",
    "find_catalog",
    "find_event_authority",
    "find_governance",
    "find_gpu_model",
    "find_host",
    "find_listing",
    "find_market",
    "find_meter",
    "find_payment_mint",
    "find_pool",
    "find_proposal",
    "find_rental",
    "find_renter_profile",
    "find_request",
    "find_stake",
    "find_vault",
    "find_vote_record",
]


def find_associated_token(owner: Pubkey, token_program: Pubkey, mint: Pubkey) -> tuple[Pubkey, int]:
    """The address and bump of an associated token."""
    return find_address(
        Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
        bytes(owner),
        bytes(token_program),
        bytes(mint),
    )


def find_catalog(program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a catalog."""
    return find_address(program_id, b"catalog")


def find_event_authority(program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of an event authority."""
    return find_address(program_id, b"__event_authority")


def find_governance(program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a governance."""
    return find_address(program_id, b"governance")


def find_gpu_model(number: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a gpu model."""
    return find_address(program_id, b"gpu", number.to_bytes(2, "little"))


def find_host(authority: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a host."""
    return find_address(program_id, b"host", bytes(authority))


def find_listing(host: Pubkey, id: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a listing."""
    return find_address(program_id, b"listing", bytes(host), id.to_bytes(4, "little"))


def find_market(program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a market."""
    return find_address(program_id, b"market")


def find_meter(rental: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a meter."""
    return find_address(program_id, b"meter", bytes(rental))


def find_payment_mint(mint: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a payment mint."""
    return find_address(program_id, b"mint", bytes(mint))


def find_pool(program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a pool."""
    return find_address(program_id, b"pool")


def find_proposal(proposer: Pubkey, nonce: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a proposal."""
    return find_address(program_id, b"proposal", bytes(proposer), nonce.to_bytes(8, "little"))


def find_rental(renter: Pubkey, nonce: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a rental."""
    return find_address(program_id, b"rental", bytes(renter), nonce.to_bytes(8, "little"))


def find_renter_profile(wallet: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a renter profile."""
    return find_address(program_id, b"renter", bytes(wallet))


def find_request(renter: Pubkey, nonce: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a request."""
    return find_address(program_id, b"request", bytes(renter), nonce.to_bytes(8, "little"))


def find_stake(owner: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a stake."""
    return find_address(program_id, b"stake", bytes(owner))


def find_vault(mint: Pubkey, shard: int, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a vault."""
    return find_address(program_id, b"vault", bytes(mint), shard.to_bytes(1, "little"))


def find_vote_record(proposal: Pubkey, voter: Pubkey, program_id: Pubkey = PROGRAM_ID) -> tuple[Pubkey, int]:
    """The address and bump of a vote record."""
    return find_address(program_id, b"vote", bytes(proposal), bytes(voter))
