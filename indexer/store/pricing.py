"""Terms that prices are shown by, as the index has them."""

from __future__ import annotations

from sqlalchemy import Connection, and_, select, true

from anchor_client.rules.hourly import Pricing
from indexer.models import Market, PaymentMint, Vault
from indexer.status import Status

MINTS = select(
    Market.c.market_mint,
    PaymentMint.c.mint,
    PaymentMint.c.decimals,
    PaymentMint.c.price,
    PaymentMint.c.extra_fee_bps,
    PaymentMint.c.subsidy_bps,
    PaymentMint.c.burn_bps,
).join(PaymentMint.table, and_(true(), PaymentMint.c.enabled))
POOLS = select(Vault.c.subsidy_pool, Vault.c.subsidy_drawn, Vault.c.subsidy_day).join(
    Market.table, Market.c.market_mint == Vault.c.mint
)


def pricing(connection: Connection, chain: Status) -> Pricing:
    """Terms that an order placed now is quoted by, in each token that is taken; none while the market is unknown."""
    mints = connection.execute(MINTS).all()
    pools = connection.execute(POOLS).all()
    if chain.market is None or not mints:
        return Pricing(None, ())
    return Pricing.at(chain.market, mints[0].market_mint, [(mint, mint.price) for mint in mints], pools, chain.now())
