"""Ledgers of one vault and of one rental."""

from __future__ import annotations

from dataclasses import dataclass, fields

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.vault import Vault
from anchor_client.generated.types.rental_state import RentalState

from ..reference import BPS, Rates, charged_seconds


@dataclass(slots=True)
class VaultBook:
    """A vault's ledger, and what anybody gave it without the program."""

    mint: Pubkey
    token_account: Pubkey
    open_rentals: int = 0
    liabilities: int = 0
    fees_due: int = 0
    stakers_due: int = 0
    treasury_due: int = 0
    subsidy_pool: int = 0
    total_deposited: int = 0
    total_funded: int = 0
    total_paid: int = 0
    total_burned: int = 0
    total_refunded: int = 0
    total_swept: int = 0
    total_stakers: int = 0
    total_compensated: int = 0
    total_withdrawn: int = 0
    subsidy_drawn: int = 0
    subsidy_day: int = 0
    donated: int = 0

    def held(self) -> int:
        return self.liabilities + self.fees_due + self.stakers_due + self.treasury_due + self.subsidy_pool

    def fund(self, event: events.SubsidyFunded) -> None:
        assert event.old == self.subsidy_pool and event.new == event.old + event.amount
        self.subsidy_pool = event.new
        self.total_funded += event.amount

    def escrow(self, deposit: int) -> None:
        """A deposit comes in."""
        self.liabilities += deposit
        self.total_deposited += deposit

    def draw(self, subsidy: int, at: int, share_bps: int) -> None:
        """A subsidy leaves the pool for escrow; more than may leave in a day is an AssertionError."""
        if subsidy == 0:
            return
        today = at // 86_400
        drawn = subsidy + (self.subsidy_drawn if self.subsidy_day == today else 0)
        self.subsidy_pool -= subsidy
        self.liabilities += subsidy
        self.subsidy_drawn, self.subsidy_day = drawn, today
        assert self.subsidy_pool >= 0 and drawn <= (self.subsidy_pool + drawn) * share_bps // BPS

    def take_back(self, subsidy: int, at: int) -> None:
        """A subsidy returns to the pool."""
        self.subsidy_pool += subsidy
        if self.subsidy_day == at // 86_400:
            self.subsidy_drawn = max(self.subsidy_drawn - subsidy, 0)

    def withdraw(self, event: events.UnreservedWithdrawn) -> None:
        assert event.surplus == self.donated or event.subsidy == 0
        self.donated -= event.surplus
        self.subsidy_pool -= event.subsidy
        self.total_withdrawn += event.subsidy
        assert self.donated >= 0 and self.subsidy_pool >= 0

    def check(self, vault: Vault) -> None:
        """The account says the same, and everything that came in is held or went out by its name."""
        for known in fields(self):
            if known.name != "donated":
                assert getattr(vault, known.name) == getattr(self, known.name), known.name
        out = self.total_paid + self.total_burned + self.total_refunded + self.total_swept + self.total_stakers
        assert (
            self.total_deposited + self.total_funded
            == self.held() + out + self.total_compensated + self.total_withdrawn
        )


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
    placed_at: int
    accepted_at: int = 0
    paid: int = 0
    settled: int = 0
    matched_by: Pubkey | None = None
    """Matcher of its request, until it starts."""
    not_as_listed: bool = False
    """True once a report of that has counted."""
    took_over: bool = False
    """True once it has taken a machine for which it waited."""

    @property
    def spare(self) -> int:
        """Deposit beyond the cost: of an order that has not compensated a holder."""
        return self.deposit - self.rates.deposit(self.duration)

    def charged(self, event: events.RentalClosed) -> int:
        """Seconds that the renter pays for at this end."""
        prepares = event.state is RentalState.PROVISIONING and event.at <= self.placed_at + self.opened.promise
        return charged_seconds(
            event.reason,
            event.used,
            runs=event.state is RentalState.RUNNING,
            least=0 if self.not_as_listed and not self.took_over else self.opened.min_charge,
            prepared=event.at - self.accepted_at if prepares else None,
            duration=self.duration,
            discount_bps=self.opened.discount_bps,
            is_kept=self.took_over and event.at <= self.placed_at + self.opened.provision_timeout,
        )
