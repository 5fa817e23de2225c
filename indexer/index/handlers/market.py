"""The market, its parameters, payment mints and vaults."""

from __future__ import annotations

from enum import Enum

from anchor_client.generated.constants import GUARDIAN_PAUSE
from anchor_client.generated.events import (
    FeesSwept,
    MarketInitialized,
    MarketKeyUpdated,
    MarketUpdated,
    PauseChanged,
    PaymentMintAdded,
    PaymentMintUpdated,
    PricePosted,
    RentSwept,
    SubsidyFunded,
    UnreservedWithdrawn,
    VaultAdded,
)
from anchor_client.generated.types import MarketKey, OracleKind, PaymentMintTerms
from anchor_client.service.optional import optional
from indexer.index.handlers.ledger import change_ledger
from indexer.index.handlers.series import count_money
from indexer.index.handlers.step import Step, on
from indexer.models import (
    FeeSweep,
    Market,
    MarketChange,
    MarketParameterValue,
    PaymentMint,
    Price,
    SubsidyFunding,
    Vault,
)


@on(MarketInitialized)
def on_market_initialized(event: MarketInitialized, step: Step) -> None:
    """The market opens."""
    step.open(Market, event.market, event, paused=0, created_at=event.at)


@on(MarketUpdated)
def on_market_updated(event: MarketUpdated, step: Step) -> None:
    """A numeric parameter changes."""
    if step.change(Market, event.market, event.seq) is None:
        return
    name = event.parameter.name.lower()
    record_change(step, str(event.market), event.seq, event.at, name, event.old, event.new)
    value = step.rows.change(MarketParameterValue, name)
    if value is None:
        step.rows.add(MarketParameterValue(name=name, value=event.new, changed_at=event.at))
    else:
        value.value = event.new
        value.changed_at = event.at


@on(MarketKeyUpdated)
def on_market_key_updated(event: MarketKeyUpdated, step: Step) -> None:
    """The guardian or the treasury is replaced."""
    market = step.change(Market, event.market, event.seq)
    if market is None:
        return
    match event.key:
        case MarketKey.GUARDIAN:
            market.guardian = str(event.new)
        case MarketKey.TREASURY:
            market.treasury = str(event.new)
    record_change(step, market.address, event.seq, event.at, event.key.name.lower(), event.old, event.new)


@on(PauseChanged)
def on_pause_changed(event: PauseChanged, step: Step) -> None:
    """An area of the market is paused, by the guardian for a while, or resumed."""
    market = step.change(Market, event.market, event.seq)
    if market is None:
        return
    bit = 1 << event.area.value
    guardians = f"{event.area.name.lower()}_paused_until"
    if str(event.by) != market.authority:
        setattr(market, guardians, event.at + GUARDIAN_PAUSE)
    elif event.new:
        market.paused |= bit
    else:
        market.paused &= ~bit
        setattr(market, guardians, min(getattr(market, guardians), event.at))
    subject = f"paused_{event.area.name.lower()}"
    record_change(step, market.address, event.seq, event.at, subject, event.old, event.new)


@on(PaymentMintAdded)
def on_payment_mint_added(event: PaymentMintAdded, step: Step) -> None:
    """Orders may be paid in a mint."""
    terms = event.terms
    mint = step.open(PaymentMint, event.payment_mint, event, terms, price=0, price_at=0)
    _record_terms(step, event, None, terms)
    if terms.pinned_price:
        _set_price(step, mint, event, terms.pinned_price)


@on(PaymentMintUpdated)
def on_payment_mint_updated(event: PaymentMintUpdated, step: Step) -> None:
    """A payment mint's terms change. A posted price ends when its oracle does."""
    old = event.old
    new = event.new
    mint = step.change(PaymentMint, event.payment_mint, event.seq, new)
    if mint is None:
        return
    if new.oracle_kind is OracleKind.PINNED:
        _set_price(step, mint, event, new.pinned_price)
    elif old.oracle_kind is not new.oracle_kind or old.oracle != new.oracle:
        mint.price = 0
        mint.price_at = 0
    _record_terms(step, event, old, new)


@on(PricePosted)
def on_price_posted(event: PricePosted, step: Step) -> None:
    """The oracle posts a price."""
    mint = step.change(PaymentMint, event.payment_mint, event.seq)
    if mint is not None:
        _set_price(step, mint, event, event.new)


@on(VaultAdded)
def on_vault_added(event: VaultAdded, step: Step) -> None:
    """A mint gets another vault."""
    step.open(Vault, event.vault, event)


@on(SubsidyFunded)
def on_subsidy_funded(event: SubsidyFunded, step: Step) -> None:
    """Tokens are added to a vault's subsidy pool."""
    amounts = {"subsidy_pool": event.amount, "total_funded": event.amount}
    if change_ledger(step, str(event.vault), event.vault_seq, **amounts) is not None:
        step.add(SubsidyFunding, event, seq=event.vault_seq, funder=str(event.by))


@on(UnreservedWithdrawn)
def on_unreserved_withdrawn(event: UnreservedWithdrawn, step: Step) -> None:
    """The authority takes what nobody is owed; what was sent to the vault directly is in no ledger."""
    amounts = {"subsidy_pool": -event.subsidy, "total_withdrawn": event.subsidy}
    change_ledger(step, str(event.vault), event.vault_seq, **amounts)


@on(RentSwept)
def on_rent_swept(event: RentSwept, step: Step) -> None:
    """Lamports that an account did not need went to its owner: they are in no ledger, and the event is their record."""


@on(FeesSwept)
def on_fees_swept(event: FeesSwept, step: Step) -> None:
    """A vault's fees are divided between burn, treasury and stakers."""
    vault = change_ledger(
        step,
        str(event.vault),
        event.vault_seq,
        fees_due=-(event.burned + event.treasury_share + event.stakers),
        stakers_due=event.stakers,
        treasury_due=event.treasury_share - event.treasury,
        total_burned=event.burned,
        total_swept=event.treasury,
    )
    if vault is not None:
        step.add(FeeSweep, event, seq=event.vault_seq, swept_by=str(event.by))
        count_money(step, event.at, vault.mint, burned=event.burned)


def record_change(step: Step, entity: str, seq: int, at: int, subject: str, old: object, new: object) -> None:
    """Adds to the configuration's history; `old` is None for what is new."""
    step.rows.add(
        MarketChange(
            entity=entity,
            seq=seq,
            subject=subject,
            old=optional(_text, old),
            new=_text(new),
            ts=at,
            tx=step.signature,
        )
    )


def _record_terms(
    step: Step, event: PaymentMintAdded | PaymentMintUpdated, old: PaymentMintTerms | None, new: PaymentMintTerms
) -> None:
    """One change for each term that differs; all of them for a new mint."""
    before = {} if old is None else old.field_values()
    for name, value in new.field_values().items():
        if old is None or before[name] != value:
            record_change(step, str(event.payment_mint), event.seq, event.at, name, before.get(name), value)


def _set_price(
    step: Step, mint: PaymentMint, event: PaymentMintAdded | PaymentMintUpdated | PricePosted, price: int
) -> None:
    mint.price = price
    mint.price_at = event.at
    step.add(Price, event, mint=mint.mint, price=price)


def _text(value: object) -> str:
    if isinstance(value, Enum):
        return value.name.lower()
    return str(int(value)) if isinstance(value, bool) else str(value)
