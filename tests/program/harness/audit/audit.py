"""The whole check of one transaction."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.listing import Listing
from anchor_client.generated.accounts.vault import Vault
from anchor_client.generated.program import PROGRAM_ID

from ..outcome import Outcome
from ..tokens import token_account
from .books import Books
from .movements import Place, check_lamports, check_tokens, lamports_of, tokens_of
from .sequences import Sequences

AccountOf = Callable[[Pubkey], Account | None]

_OPENINGS = (events.RentalOpened, events.RequestOpened)
_PAID_FOR = (
    events.MarketInitialized,
    events.PaymentMintAdded,
    events.VaultAdded,
    events.HostRegistered,
    events.ListingCreated,
    events.ListingClosed,
    events.RenterRegistered,
)
"""Events of transactions that move rent between a payer and an account, which their own tests look at."""


class Audit:
    """Follows a cluster from its first transaction; AssertionError at the first that is not what its events say."""

    def __init__(self, fee_payer: Pubkey) -> None:
        self.sequences = Sequences()
        self.books = Books()
        self._fee_payer = fee_payer

    def check(self, outcome: Outcome, account_of: AccountOf) -> None:
        """`account_of` reads the state after the transaction."""
        tokens: Counter[Place] = Counter()
        lamports: Counter[Pubkey] = Counter()
        for event in outcome.events:
            for place, amount in tokens_of(event, self.books):
                tokens[place] += amount
            states = outcome.after if isinstance(event, _OPENINGS) else outcome.before
            for wallet, amount in lamports_of(event, states):
                lamports[wallet] += amount
            self.books.enter(event)
        self.sequences.check(outcome)
        if outcome.programs == {PROGRAM_ID}:
            check_tokens(outcome, tokens)
            if not any(isinstance(event, _PAID_FOR) for event in outcome.events):
                check_lamports(outcome, lamports, self._fee_payer)
        for address, account in outcome.after.items():
            self._check_state(address, account, account_of)

    def copy(self) -> Audit:
        """The same knowledge, to follow a cluster restored from a snapshot."""
        return copy.deepcopy(self)

    def _check_state(self, address: Pubkey, account: Account | None, account_of: AccountOf) -> None:
        assert address not in self.books.ended or account is None, f"{address} has ended and is still there"
        if account is None or account.owner != PROGRAM_ID:
            return
        if account.data[:8] == Vault.DISCRIMINATOR:
            book = self.books.vaults[address]
            book.check(Vault.decode(account.data))
            escrow = token_account(account_of(book.token_account))
            assert escrow is not None and escrow.amount == book.held() + book.donated
        elif account.data[:8] == Listing.DISCRIMINATOR:
            current = Listing.decode(account.data).current
            assert current == self.books.occupants.get(address, Pubkey.default())
