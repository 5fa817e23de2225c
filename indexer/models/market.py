"""The market, its parameters, payment mints and vaults."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Entity, Entry, Name, Projection, Word, table


@table()
class Market(Entity):
    """The market's keys and pauses; its parameters are in `market_parameter`."""

    testing: bool
    """True for a market for tests, whose parameters have wider bounds."""

    authority: Address
    guardian: Address
    market_mint: Address
    treasury: Address
    paused: Count
    """One bit an area that the authority has paused, as on chain."""
    orders_paused_until: Count = 0
    hosts_paused_until: Count = 0
    prices_paused_until: Count = 0
    """When the guardian's last pause of each area expires or ended; zero before the first."""
    created_at: Count


@table()
class MarketParameterValue(Projection):
    """A numeric parameter's present value, once it has been changed from the program's default."""

    name: Name = Field(primary_key=True)
    value: U64
    changed_at: Count


@table(Index(None, "subject", "ts"))
class MarketChange(Entry):
    """One change of the configuration, old and new: parameters, keys, pauses and payment mints' terms."""

    entity: Address = Field(primary_key=True)
    """The market or the payment mint that changed."""
    seq: U64 = Field(primary_key=True)
    subject: Name = Field(primary_key=True)
    """The parameter's, key's, area's or term's name."""
    old: Name | None
    new: Name


@table()
class PaymentMint(Entity):
    """A mint that orders are paid in, its terms and its price."""

    mint: Address = Field(unique=True)
    decimals: Count
    freezable: bool
    """True where its issuer may freeze accounts."""
    mintable: bool
    """True where its issuer could mint more when it was added; if not, never again."""
    supply: U64
    """Base units that there were when it was added: burns are counted from there."""
    oracle_kind: Word
    oracle: Address
    enabled: bool
    shards: Count
    max_age: Count
    subsidy_bps: Count
    burn_bps: Count
    extra_fee_bps: Count
    price: U64
    """Pico-USD per whole token; zero until known."""
    price_at: Count


@table()
class Price(Entry):
    """A mint's price from `at` on, in pico-USD per whole token."""

    mint: Address = Field(primary_key=True)
    seq: U64 = Field(primary_key=True)
    price: U64


@table()
class Vault(Entity):
    """A vault's ledger as the events add up to it; equal to the account of the same `seq`, field by field."""

    mint: Address
    shard: Count
    token_account: Address
    rentals: Count = 0
    """Ever opened with it; the account does not count them."""
    open_rentals: U64 = 0
    liabilities: U64 = 0
    fees_due: U64 = 0
    stakers_due: U64 = 0
    treasury_due: U64 = 0
    subsidy_pool: U64 = 0
    total_deposited: U64 = 0
    total_funded: U64 = 0
    total_paid: U64 = 0
    total_burned: U64 = 0
    total_refunded: U64 = 0
    total_swept: U64 = 0
    total_stakers: U64 = 0
    total_compensated: U64 = 0
    total_withdrawn: U64 = 0
    """Lifetime totals count modulo 2^64, as on chain."""
    subsidy_drawn: U64 = 0
    """Base units that have left the subsidy pool on `subsidy_day` and not returned to it that day."""
    subsidy_day: Count = 0
    """Days since 1970-01-01."""


@table()
class FeeSweep(Entry):
    """Division of a vault's fees, in base units of its mint."""

    vault: Address = Field(primary_key=True)
    seq: U64 = Field(primary_key=True)
    burned: U64
    treasury_share: U64
    """The treasury's part."""
    treasury: U64
    """Payment of the treasury: its part and what had waited, or nothing if it could take nothing."""
    stakers: U64
    swept_by: Address


@table()
class SubsidyFunding(Entry):
    """Tokens that came into a vault's subsidy pool, in base units."""

    vault: Address = Field(primary_key=True)
    seq: U64 = Field(primary_key=True)
    funder: Address
    amount: U64
