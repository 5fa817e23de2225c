"""Finds the token accounts that a task pays to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from solana.rpc.models import TokenAccountOpts
from solders.account import Account
from solders.pubkey import Pubkey
from solders.token.state import TokenAccount, TokenAccountState

from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.rpc import Reader, rpc_errors
from anchor_client.tokens import TOKEN_ACCOUNT_BYTES, associated_token


@dataclass(frozen=True, slots=True)
class Payee:
    """A party to be paid in a mint."""

    owner: Pubkey
    mint: Pubkey

    @property
    def associated(self) -> Pubkey:
        """The address of the payee's associated token account."""
        return associated_token(self.owner, self.mint)


async def find_token_accounts(reader: Reader, payees: Iterable[Payee]) -> Mapping[Payee, Pubkey | None]:
    """A token account for each payee: the associated one, else any other that takes payments; None where there is none.

    One that takes no payments (frozen, given away) is returned too: the program's refusal then says why.
    Raises the network's errors.
    """
    wanted = list(dict.fromkeys(payees))
    accounts = await reader.accounts([payee.associated for payee in wanted])
    found: dict[Payee, Pubkey | None] = {}
    for payee, account in zip(wanted, accounts, strict=True):
        if _takes(account, payee):
            found[payee] = payee.associated
        else:
            found[payee] = await _other(reader, payee) or (payee.associated if account is not None else None)
    return found


async def _other(reader: Reader, payee: Payee) -> Pubkey | None:
    with rpc_errors(reader.client):
        response = await reader.client.get_token_accounts_by_owner(
            payee.owner, TokenAccountOpts(mint=payee.mint), commitment=reader.commitment
        )
    usable = (keyed.pubkey for keyed in response.value if _takes(keyed.account, payee))
    return min(usable, key=bytes, default=None)


def _takes(account: Account | None, payee: Payee) -> bool:
    if account is None or account.owner != TOKEN_PROGRAM or len(account.data) != TOKEN_ACCOUNT_BYTES:
        return False
    token = TokenAccount.from_bytes(account.data)
    fits = token.mint == payee.mint and token.owner == payee.owner
    return fits and token.state == TokenAccountState.Initialized
