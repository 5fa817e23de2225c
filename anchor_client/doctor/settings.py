"""Parameters against their bounds, pauses, mints and their prices."""

from __future__ import annotations

from collections.abc import AsyncIterator

from solders.token.state import Mint

from anchor_client.doctor.context import Context
from anchor_client.doctor.finding import Finding, failure, ok, warning
from anchor_client.errors import ProgramRefusal
from anchor_client.generated.accounts import PaymentMint
from anchor_client.generated.constants import BPS
from anchor_client.generated.types import MarketParameter, OracleKind, PauseArea
from anchor_client.rules.market import is_paused
from anchor_client.rules.parameters import problem
from anchor_client.rules.pyth import DEPLOYMENTS
from anchor_client.solana.tokens import NATIVE_MINT

AGEING_BPS = 5_000
"""Share of its longest age from which a price is reported as ageing."""


async def check_parameters(context: Context) -> AsyncIterator[Finding]:
    """Checks that parameters are within their bounds, and reports the areas that are paused."""
    market = context.account
    values = {each: int(getattr(market, each.name.lower())) for each in MarketParameter}
    wrong = problem(values, testing=bool(market.testing))
    if wrong is None:
        yield ok("parameters", f"all {len(values)} are within their bounds")
    else:
        yield failure("parameters", wrong, "The program is not this version's: `gpu-market deploy verify`.")
    for area in PauseArea:
        if is_paused(market, area, context.now):
            name = area.name.lower()
            remedy = f"Resume it once its cause is gone: gpu-market pause {name} --resume, or by a proposal."
            yield warning("pauses", f"{name} are paused", remedy)


async def check_mints(context: Context) -> AsyncIterator[Finding]:
    """Checks the authorities over each mint, and that orders can be priced in it."""
    reads = context.market.reads
    mints = list((await reads.payment_mints()).values())
    if not mints:
        yield failure("mints", "no payment mint is accepted", "Add one: `gpu-market deploy market.toml`.")
    chain = await reads.program.accounts([mint.mint for mint in mints])
    tokens = await reads.tokens()
    for mint, account in zip(mints, chain, strict=True):
        symbol = tokens.symbol(mint.mint)
        if mint.mint != NATIVE_MINT:
            if account is None:
                yield failure("mints", f"the mint of {symbol} is gone", "Disable it by a proposal.")
                continue
            yield _issuer(context, symbol, mint, Mint.from_bytes(account.data))
        if mint.enabled:
            yield await _price(context, symbol, mint)
        else:
            yield ok("prices", f"{symbol} is disabled")


def _issuer(context: Context, symbol: str, mint: PaymentMint, found: Mint) -> Finding:
    if found.freeze_authority is not None:
        text = f"the issuer of {symbol} can freeze vaults and payees"
        if mint.mint == context.account.market_mint:
            return failure("mints", text, "The market token must not have a freeze authority.")
        return ok("mints", f"{text}, as issuers of stablecoins can")
    if mint.mint == context.account.market_mint and found.mint_authority is not None:
        remedy = "Give up the mint authority before the market is worth attacking."
        return warning("mints", f"{found.mint_authority} can mint {symbol}, and so votes", remedy)
    return ok("mints", f"nobody can freeze {symbol}")


async def _price(context: Context, symbol: str, mint: PaymentMint) -> Finding:
    try:
        await context.market.reads.fresh_price(mint, context.now)
    except ProgramRefusal as error:
        kind = OracleKind(mint.oracle_kind)
        remedy = "Set a price by a proposal."
        if kind is OracleKind.POSTED:
            remedy = f"Start the oracle whose key is {mint.oracle}."
        elif kind in DEPLOYMENTS:
            remedy = "Check the feed (`price_feeds` in the settings) and that somebody keeps it fresh."
        return failure("prices", f"no order can be paid in {symbol}: {error.message}", remedy)
    age = context.now - mint.price_at
    if mint.oracle_kind == OracleKind.POSTED and age * BPS > mint.max_age * AGEING_BPS:
        text = f"the price of {symbol} is {age} s old; after {mint.max_age} s orders are refused"
        return warning("prices", text, f"Check the oracle whose key is {mint.oracle}.")
    return ok("prices", f"{symbol} has a fresh price")
