"""Accounts to pay from and into: an associated token account; for SOL the wallet itself, or, to pay, one of wrapped SOL
that lives in one transaction."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountWithSeedParams, create_account_with_seed

from anchor_client.errors import InsufficientBalance, TooFewTokens
from anchor_client.generated.accounts import Listing
from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.market.reads import MarketReader
from anchor_client.payment_tokens import payout_account
from anchor_client.solana.account_metas import readable, writable
from anchor_client.solana.tokens import NATIVE_MINT, TOKEN_ACCOUNT_BYTES, associated_token, create_associated_token

_CLOSE_ACCOUNT: Final = b"\x09"
_INITIALIZE_ACCOUNT3: Final = b"\x12"


@dataclass(frozen=True, slots=True)
class Purse:
    """An account, and the instructions that must stand before and after those that use it."""

    address: Pubkey
    before: tuple[Instruction, ...] = ()
    after: tuple[Instruction, ...] = ()

    def around(self, *instructions: Instruction) -> tuple[Instruction, ...]:
        """Instructions that use the account, with their preparations."""
        return (*self.before, *instructions, *self.after)

    @classmethod
    def receiving(cls, signer: Pubkey, payee: Pubkey, mint: Pubkey) -> Purse:
        """Account in which a payee receives a mint. If their token account is missing, only they pay for it."""
        makes: tuple[Instruction, ...] = ()
        if payee == signer and mint != NATIVE_MINT:
            makes = (create_associated_token(payee, payee, mint),)
        return cls(payout_account(payee, mint), makes)

    @classmethod
    def of_host(cls, signer: Pubkey, listing: Listing, mint: Pubkey) -> Purse:
        """Account in which a listing's owner receives a mint. Their operator creates a missing token account as they
        would."""
        if signer == listing.operator and mint != NATIVE_MINT:
            owner = listing.authority
            return cls(associated_token(owner, mint), (create_associated_token(signer, owner, mint),))
        return cls.receiving(signer, listing.authority, mint)

    @classmethod
    def wrapped(cls, owner: Pubkey, lamports: int, rent: int) -> Purse:
        """A new account with `lamports` of wrapped SOL; `rent` is what a token account must hold on top. Closing it
        turns all that is left into SOL.

        Wrapped SOL that the wallet holds elsewhere stays as it is. The seed is random, so nobody can be at the address
        first.
        """
        seed = secrets.token_hex(16)
        address = Pubkey.create_with_seed(owner, seed, TOKEN_PROGRAM)
        create = create_account_with_seed(
            CreateAccountWithSeedParams(
                from_pubkey=owner,
                to_pubkey=address,
                base=owner,
                seed=seed,
                lamports=rent + lamports,
                space=TOKEN_ACCOUNT_BYTES,
                owner=TOKEN_PROGRAM,
            )
        )
        account = writable(address)
        mint = readable(NATIVE_MINT)
        initialize = Instruction(TOKEN_PROGRAM, _INITIALIZE_ACCOUNT3 + bytes(owner), [account, mint])
        destination = writable(owner)
        signer = readable(owner, signs=True)
        close = Instruction(TOKEN_PROGRAM, _CLOSE_ACCOUNT, [account, destination, signer])
        return cls(address, (create, initialize), (close,))


async def paying_purse(
    reads: MarketReader,
    owner: Pubkey,
    mint: Pubkey,
    amount: int,
    *,
    wraps: bool,
    most: int | None = None,
    shortage: type[InsufficientBalance | TooFewTokens] = InsufficientBalance,
) -> Purse:
    """Account from which `owner` pays `amount` base units of a mint, SOL if it `wraps`; raises `shortage` if they hold
    less.

    `most` is the amount that is wrapped, for a price that may still rise.
    """
    if wraps:
        held = await reads.program.balance(owner)
    else:
        held = await reads.balance(owner, mint)
    if held < amount:
        raise shortage(await reads.denomination(mint), amount, held)
    if not wraps:
        return Purse(associated_token(owner, mint))
    return await _wrapped(reads, owner, amount if most is None else most)


async def _wrapped(reads: MarketReader, owner: Pubkey, lamports: int) -> Purse:
    return Purse.wrapped(owner, lamports, await reads.program.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES))
