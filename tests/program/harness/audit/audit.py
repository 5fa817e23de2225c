"""The whole check of one transaction."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.catalog import Catalog
from anchor_client.generated.accounts.host import Host
from anchor_client.generated.accounts.listing import Listing
from anchor_client.generated.accounts.meter import Meter
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.accounts.stake_account import StakeAccount
from anchor_client.generated.accounts.stake_pool import StakePool
from anchor_client.generated.accounts.vault import Vault
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.action import ActionUpgradeProgram
from anchor_client.generated.types.rental_state import RentalState
from anchor_idl.runtime.structs import Event

from ..outcome import Outcome
from ..states import state_of
from ..tokens import token_account
from .books import Books
from .movements import LAMPORTS, Place, check_consent, check_lamports, check_tokens, lamports_of, tokens_of
from .outflows import check_outflows
from .reports import Reports
from .reputation import Reputations
from .rights import Rights
from .sequences import Sequences
from .subsidies import Subsidies

AccountOf = Callable[[Pubkey], Account | None]

_PAID_FOR = (
    events.MarketInitialized,
    events.PaymentMintAdded,
    events.VaultAdded,
    events.HostRegistered,
    events.ListingCreated,
    events.ListingClosed,
    events.RenterRegistered,
    events.PoolInitialized,
    events.CatalogInitialized,
    events.GpuModelSet,
    events.ProposalCreated,
    events.VoteCast,
    events.VoteClosed,
)
"""Events of transactions that move rent between a payer and an account, which their own tests look at."""


class Audit:
    """Follows a cluster from its first transaction; AssertionError at the first that is not what its events say."""

    def __init__(self, fee_payer: Pubkey) -> None:
        self.sequences = Sequences()
        self.books = Books()
        self.reputations = Reputations()
        self.reports = Reports()
        self.subsidies = Subsidies()
        self.rights = Rights()
        self.lamports_paid: Counter[Pubkey] = Counter()
        """Lamports that each wallet was paid of SOL that a vault or the pool had kept."""
        self._fee_payer = fee_payer

    def check(self, outcome: Outcome, account_of: AccountOf) -> None:
        """`account_of` reads the state after the transaction."""
        tokens: Counter[Place] = Counter()
        lamports: Counter[Pubkey] = Counter()
        for event in outcome.events:
            for place, amount in tokens_of(event, self.books):
                tokens[place] += amount
                if place[1] == LAMPORTS:
                    self.lamports_paid[place[0]] += amount
            for wallet, amount in lamports_of(event, outcome, self.books):
                lamports[wallet] += amount
            self.books.enter(event)
            self.reputations.enter(event)
            self.reports.enter(event)
            self.subsidies.enter(event)
        self.sequences.check(outcome)
        self.rights.check(outcome)
        if outcome.programs == {PROGRAM_ID}:
            check_consent(outcome, self._fee_payer)
            check_outflows(outcome)
            check_tokens(outcome, tokens)
            if not any(_moves_rent(event) for event in outcome.events):
                check_lamports(outcome, lamports, self._fee_payer)
        for address, account in outcome.after.items():
            self._check_state(address, account, account_of)
        for address, held in self.books.staking.kept().items():
            if address in outcome.after:
                state = token_account(outcome.after[address])
                assert state is not None and state.amount >= held

    def copy(self) -> Audit:
        """The same knowledge, to follow a cluster restored from a snapshot."""
        copied: Audit = pickle.loads(pickle.dumps(self))  # half the time of copy.deepcopy
        return copied

    def _check_state(self, address: Pubkey, account: Account | None, account_of: AccountOf) -> None:
        assert address not in self.books.ended or account is None, f"{address} has ended and is still there"
        if account is None or account.owner != PROGRAM_ID or account.executable:
            return
        match state_of(account.data):
            case Vault() as vault:
                book = self.books.vaults[address]
                book.check(vault)
                escrow = token_account(account_of(book.token_account))
                assert escrow is not None and escrow.amount == book.held() + book.donated
            case Listing() as listing:
                self.reputations.check_listing(address, listing)
                assert listing.current == self.books.occupants.get(address, Pubkey.default())
                assert listing.challenger == self.books.challengers.get(address, Pubkey.default())
                assert listing.preempt_at == self.books.deadlines.get(address, 0)
                assert listing.departed == self.books.departed.get(address, Pubkey.default())
                owed = self.books.payouts_owed.get(address, (Pubkey.default(), 0))
                assert (listing.owed_vault, listing.owed) == owed
                held = [each for _, each in self.books.holdbacks.values() if each.listing == address]
                assert listing.finished == len(held)
            case Host() as host:
                self.reputations.check_host(address, host)
                self.subsidies.check_host(address, host)
                self.books.staking.check_host(address, host)
            case RenterProfile() as profile:
                self.reports.check_profile(profile)
            case StakePool() as pool:
                self.books.staking.check_pool(pool)
            case StakeAccount() as stake:
                self.books.staking.check_stake(address, stake)
            case Catalog() as catalog:
                self.books.staking.check_catalog(catalog)
            case Rental() as rental if rental.state == RentalState.ENDED:
                assert self.books.refunds_owed[address] == (find_vault(rental.mint, rental.shard)[0], rental.deposit)
            case Rental() as rental if rental.state == RentalState.FINISHED:
                assert address in self.books.holdbacks
            case Meter() as meter:
                self.books.meters[address].check(meter)


def _moves_rent(event: Event) -> bool:
    """True where an event moves rent between wallets and accounts; code has rent of its own."""
    if isinstance(event, events.ProposalExecuted):
        return isinstance(event.action, ActionUpgradeProgram)
    opens_stake = isinstance(event, events.Staked) and event.seq == 1
    return opens_stake or isinstance(event, _PAID_FOR)
