"""Rentals and vaults as a reader of events alone would keep them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.vault import Vault
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.idl_runtime.structs import Event

from ..reference import Rates, divide, payable

GIVEN_BY_HOST = frozenset({CloseReason.HOST_FAULT, CloseReason.HOST_MAINTENANCE, CloseReason.ORDER_REFUSED})
"""Reasons of a host that gives up; the closer earns no tip."""
FAULTS = GIVEN_BY_HOST | {CloseReason.PROVISION_TIMEOUT, CloseReason.HOST_OFFLINE}
"""Reasons for which the holdback goes to the renter."""


@dataclass(slots=True)
class VaultBook:
    """A vault's ledger, and what anybody gave it without the program."""

    mint: Pubkey
    token_account: Pubkey
    open_rentals: int = 0
    liabilities: int = 0
    fees_due: int = 0
    stakers_due: int = 0
    subsidy_pool: int = 0
    total_deposited: int = 0
    total_funded: int = 0
    total_paid: int = 0
    total_burned: int = 0
    total_refunded: int = 0
    total_swept: int = 0
    donated: int = 0

    def held(self) -> int:
        return self.liabilities + self.fees_due + self.stakers_due + self.subsidy_pool

    def check(self, vault: Vault) -> None:
        """The account says the same, and everything that came in is held or went out by its name."""
        for known in fields(self):
            if known.name != "donated":
                assert getattr(vault, known.name) == getattr(self, known.name), known.name
        out = self.total_paid + self.total_burned + self.total_refunded + self.total_swept
        assert self.total_deposited + self.total_funded == self.held() + out


@dataclass(slots=True)
class RentalBook:
    """A rental from its opening to its end."""

    opened: events.RentalOpened
    vault: Pubkey
    host: Pubkey
    rates: Rates
    duration: int
    deposit: int
    subsidy: int
    paid: int = 0
    settled: int = 0


@dataclass(slots=True)
class Books:
    vaults: dict[Pubkey, VaultBook] = field(default_factory=dict)
    open_rentals: dict[Pubkey, RentalBook] = field(default_factory=dict)
    open_requests: dict[Pubkey, events.RequestOpened] = field(default_factory=dict)
    ended: set[Pubkey] = field(default_factory=set)
    listing_hosts: dict[Pubkey, Pubkey] = field(default_factory=dict)
    occupants: dict[Pubkey, Pubkey] = field(default_factory=dict)
    treasury: Pubkey = field(default_factory=Pubkey.default)

    def enter(self, event: Event) -> None:
        """Books an event; an amount that its own rental does not allow is an AssertionError."""
        match event:
            case events.MarketInitialized():
                self.treasury = event.treasury
            case events.MarketKeyUpdated(key=MarketKey.TREASURY):
                self.treasury = event.new
            case events.ListingCreated():
                self.listing_hosts[event.listing] = event.authority
            case events.VaultAdded():
                self.vaults[event.vault] = VaultBook(event.mint, event.token_account)
            case events.SubsidyFunded():
                self._fund(event)
            case events.FeesSwept():
                self._sweep(event)
            case events.RentalOpened():
                self._open(event)
            case events.RentalExtended():
                self._extend(event)
            case events.RentalSettled():
                self._settle(event)
            case events.RentalClosed():
                self._close(event)
            case events.RequestOpened():
                self._request(event)
            case events.RequestMatched():
                self._match(event)
            case events.RequestCancelled() | events.RequestExpired():
                self._refund(event)
            case _:
                return

    def _fund(self, event: events.SubsidyFunded) -> None:
        vault = self.vaults[event.vault]
        assert event.old == vault.subsidy_pool and event.new == event.old + event.amount
        vault.subsidy_pool = event.new
        vault.total_funded += event.amount

    def _sweep(self, event: events.FeesSwept) -> None:
        vault = self.vaults[event.vault]
        assert event.burned + event.treasury + event.stakers == vault.fees_due
        vault.fees_due = 0
        vault.stakers_due += event.stakers
        vault.total_burned += event.burned
        vault.total_swept += event.treasury

    def _open(self, event: events.RentalOpened) -> None:
        assert event.rental not in self.open_rentals and event.rental not in self.ended
        assert event.listing not in self.occupants
        rates = Rates(event.rate, event.subsidy_rate, event.burn_rate, event.fee_rate)
        assert event.deposit == rates.deposit(event.duration)
        assert event.subsidy == rates.subsidy_of(event.duration)
        vault = find_vault(event.mint, event.shard)[0]
        host = self.listing_hosts[event.listing]
        self.open_rentals[event.rental] = RentalBook(
            event, vault, host, rates, event.duration, event.deposit, event.subsidy
        )
        self.occupants[event.listing] = event.rental
        self._escrow(vault, event.deposit, event.subsidy)
        self.vaults[vault].open_rentals += 1

    def _request(self, event: events.RequestOpened) -> None:
        assert event.request not in self.open_requests and event.request not in self.ended
        self.open_requests[event.request] = event
        vault = self.vaults[find_vault(event.mint, event.shard)[0]]
        vault.liabilities += event.order.deposit
        vault.total_deposited += event.order.deposit

    def _match(self, event: events.RequestMatched) -> None:
        """The rental's deposit is taken out here and put in again by its opening."""
        request = self._release(event.request)
        assert (event.renter, event.mint, event.held) == (request.renter, request.mint, request.order.deposit)
        assert event.held == event.deposit + event.refunded
        assert event.tip_lamports == request.tip_lamports
        vault = self.vaults[find_vault(request.mint, request.shard)[0]]
        vault.liabilities -= event.held
        vault.total_deposited -= event.deposit
        vault.total_refunded += event.refunded
        assert vault.liabilities >= 0

    def _refund(self, event: events.RequestCancelled | events.RequestExpired) -> None:
        request = self._release(event.request)
        assert (event.renter, event.mint, event.refunded) == (request.renter, request.mint, request.order.deposit)
        if isinstance(event, events.RequestExpired):
            assert event.tip_lamports == request.tip_lamports
            assert event.at >= request.order.expires_at
        vault = self.vaults[find_vault(request.mint, request.shard)[0]]
        vault.liabilities -= event.refunded
        vault.total_refunded += event.refunded
        assert vault.liabilities >= 0

    def _release(self, request: Pubkey) -> events.RequestOpened:
        self.ended.add(request)
        return self.open_requests.pop(request)

    def _extend(self, event: events.RentalExtended) -> None:
        rental = self.open_rentals[event.rental]
        assert event.old_duration == rental.duration < event.new_duration
        rental.duration = event.new_duration
        rental.deposit += event.deposit_added
        rental.subsidy += event.subsidy_added
        assert rental.deposit == rental.rates.deposit(rental.duration)
        assert rental.subsidy == rental.rates.subsidy_of(rental.duration)
        self._escrow(rental.vault, event.deposit_added, event.subsidy_added)

    def _escrow(self, address: Pubkey, deposit: int, subsidy: int) -> None:
        vault = self.vaults[address]
        vault.subsidy_pool -= subsidy
        vault.liabilities += deposit + subsidy
        vault.total_deposited += deposit
        assert vault.subsidy_pool >= 0

    def _settle(self, event: events.RentalSettled) -> None:
        rental = self.open_rentals[event.rental]
        assert rental.settled < event.settled <= rental.duration and event.paid > 0
        rental.paid += event.paid
        rental.settled = event.settled
        assert event.paid_total == rental.paid == payable(rental.rates, event.settled, rental.opened.holdback_bps)
        vault = self.vaults[rental.vault]
        vault.liabilities -= event.paid
        vault.total_paid += event.paid
        assert vault.liabilities >= 0

    def _close(self, event: events.RentalClosed) -> None:
        rental = self.open_rentals.pop(event.rental)
        self.ended.add(event.rental)
        assert self.occupants.pop(event.listing) == event.rental
        opened = rental.opened
        assert (event.renter, event.listing, event.mint) == (opened.renter, opened.listing, opened.mint)
        assert event.tip_lamports == (0 if event.reason in GIVEN_BY_HOST else opened.tip_lamports)
        assert (event.deposit, event.subsidy) == (rental.deposit, rental.subsidy)
        assert event.paid == rental.paid + event.paid_now
        assert rental.settled <= event.used <= rental.duration
        expected = divide(
            rental.rates,
            rental.duration,
            event.used,
            holdback_bps=opened.holdback_bps,
            host_at_fault=event.reason in FAULTS,
        )
        assert expected.total() == event.deposit + event.subsidy
        for name in ("paid", "fees", "burned", "refunded", "subsidy_returned"):
            assert getattr(event, name) == getattr(expected, name), f"{name} of {event}"
        vault = self.vaults[rental.vault]
        vault.liabilities -= event.deposit + event.subsidy - rental.paid
        vault.fees_due += event.fees
        vault.subsidy_pool += event.subsidy_returned
        vault.open_rentals -= 1
        vault.total_paid += event.paid_now
        vault.total_burned += event.burned
        vault.total_refunded += event.refunded
        assert vault.liabilities >= 0 and vault.open_rentals >= 0
