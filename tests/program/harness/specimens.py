"""Something of every kind that could be passed in an account's place."""

from __future__ import annotations

from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.sysvar import CLOCK
from solders.token import ID as TOKEN_PROGRAM

from anchor_client.generated.pdas import (
    find_gpu_model,
    find_host,
    find_meter,
    find_payment_mint,
    find_rental,
    find_renter_profile,
    find_request,
    find_stake,
    find_vault,
)
from anchor_client.generated.program import PROGRAM_ID

from .actors import GPUM, HOST, KEEPER, LISTINGS, MARKET, RENTER, RIVAL, RIVAL_LISTING, STRANGER, TENANT, USDC
from .cluster import FIRST_NONCE
from .keys import address
from .staking import CATALOG, POOL
from .tokens import TOKEN_2022, put_tokens, token_account, token_address
from .world import World

VAULTS = (("vault GPUM 0", GPUM, 0), ("vault GPUM 1", GPUM, 1), ("vault USDC 0", USDC, 0))
STATE = {
    "market": MARKET,
    "payment mint GPUM": find_payment_mint(GPUM)[0],
    "payment mint USDC": find_payment_mint(USDC)[0],
    **{name: find_vault(mint, shard)[0] for name, mint, shard in VAULTS},
    "host": find_host(HOST)[0],
    "rival host": find_host(RIVAL)[0],
    "second listing": LISTINGS[1],
    "rival listing": RIVAL_LISTING,
    "renter's profile": find_renter_profile(RENTER)[0],
    "tenant's profile": find_renter_profile(TENANT)[0],
    "tenant's rental": find_rental(TENANT, FIRST_NONCE)[0],
    "tenant's meter": find_meter(find_rental(TENANT, FIRST_NONCE)[0])[0],
    "pool": POOL,
    "catalog": CATALOG,
    "GPU model": find_gpu_model(1)[0],
    "tenant's stake": find_stake(TENANT)[0],
    "tenant's request": find_request(TENANT, FIRST_NONCE + 1)[0],
}
TOKENS = {
    **{f"pool's {symbol}": token_address(POOL, mint) for symbol, mint in (("GPUM", GPUM), ("USDC", USDC))},
    "catalog's GPUM": token_address(CATALOG, GPUM),
    **{f"tokens of {name}": token_address(find_vault(mint, shard)[0], mint) for name, mint, shard in VAULTS},
    **{
        f"{name}'s {symbol}": token_address(owner, mint)
        for name, owner in (("renter", RENTER), ("tenant", TENANT), ("host", HOST), ("stranger", STRANGER))
        for symbol, mint in (("GPUM", GPUM), ("USDC", USDC))
    },
}
OTHERS = {
    "mint GPUM": GPUM,
    "mint USDC": USDC,
    "stranger": STRANGER,
    "keeper": KEEPER,
    "nothing": address("nothing"),
    "this program": PROGRAM_ID,
    "token program": TOKEN_PROGRAM,
    "token-2022 program": TOKEN_2022,
    "system program": Pubkey.default(),
    "clock": CLOCK,
}
ALL = {**STATE, **TOKENS, **OTHERS}


def forge(world: World, original: Pubkey) -> Pubkey | None:
    """A copy of an account's data at another address, owned by another program; None if it has no data."""
    account = world.cluster.account(original)
    if account is None or not account.data or account.executable:
        return None
    forged = address(f"forged {original}")
    world.cluster.set_account(forged, Account(account.lamports, account.data, STRANGER))
    return forged


def twin(world: World, original: Pubkey) -> Pubkey | None:
    """Another token account of the same owner and mint; None if the original is no token account."""
    state = token_account(world.cluster.account(original))
    if state is None:
        return None
    return put_tokens(world.cluster, state.mint, state.owner, state.amount, at=address(f"twin of {original}"))


def replaced(instruction: Instruction, index: int, key: Pubkey) -> Instruction:
    """The instruction with another account in one place; flags stay."""
    metas = list(instruction.accounts)
    old = metas[index]
    metas[index] = type(old)(key, is_signer=old.is_signer, is_writable=old.is_writable)
    return Instruction(instruction.program_id, bytes(instruction.data), metas)


def without_flag(instruction: Instruction, index: int, flag: str) -> Instruction:
    """The instruction with one account no longer `is_signer` or `is_writable`."""
    metas = list(instruction.accounts)
    old = metas[index]
    flags = {"is_signer": old.is_signer, "is_writable": old.is_writable, flag: False}
    metas[index] = type(old)(old.pubkey, **flags)
    return Instruction(instruction.program_id, bytes(instruction.data), metas)
