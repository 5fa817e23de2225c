"""Changes by the market's authority and by hosts, and the rates of the seeded market that tests expect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.pdas import find_host, find_payment_mint, find_vault
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea
from tests.markets.spec import ON_DEMAND_USD, spec_with

from .actors import AUTHORITY, GPUM, HOST, LISTING, ORACLE, RIVAL, RIVAL_LISTING, USDC, WSOL
from .reference import Rates, rates
from .terms import GPUM_PRICE, GPUM_TERMS, SUBSIDY_BUDGET, USDC_PRICE, USDC_TERMS, WSOL_PRICE, WSOL_TERMS
from .tokens import token_address

TERMS = {GPUM: GPUM_TERMS, USDC: USDC_TERMS, WSOL: WSOL_TERMS}
PRICES = {GPUM: GPUM_PRICE, USDC: USDC_PRICE, WSOL: WSOL_PRICE}
DECIMALS = {GPUM: 6, USDC: 6, WSOL: 9}
FEE_BPS = 1_000


def set_parameter(parameter: MarketParameter, value: int) -> Instruction:
    return instructions.update_market(authority=AUTHORITY, parameter=parameter, value=value)


def set_terms(mint: Pubkey, authority: Pubkey = AUTHORITY, **changes: Any) -> Instruction:
    """The seeded terms of a mint with some fields changed."""
    terms = replace(TERMS[mint], **changes)
    return instructions.update_payment_mint(authority=authority, payment_mint=find_payment_mint(mint)[0], terms=terms)


def post_price(price: int, mint: Pubkey = WSOL, oracle: Pubkey = ORACLE) -> Instruction:
    return instructions.post_price(oracle=oracle, payment_mint=find_payment_mint(mint)[0], price=price)


def respecify(listing: Pubkey = LISTING, **changes: Any) -> Instruction:
    """The seeded specification of a listing with some fields changed."""
    host = RIVAL if listing == RIVAL_LISTING else HOST
    return instructions.update_listing(authority=host, listing=listing, spec=spec_with(**changes))


def approve_host(
    host: Pubkey = HOST, approved: bool = True, budget: int = SUBSIDY_BUDGET, authority: Pubkey = AUTHORITY
) -> Instruction:
    """By the host's wallet."""
    return instructions.approve_host(
        authority=authority, host=find_host(host)[0], approved=approved, subsidy_budget=budget
    )


def withdraw_unreserved(
    amount: int, mint: Pubkey = GPUM, shard: int = 0, authority: Pubkey = AUTHORITY, **accounts: Any
) -> Instruction:
    vault = find_vault(mint, shard)[0]
    given: dict[str, Any] = {
        "vault": vault,
        "vault_token": token_address(vault, mint),
        "authority_token": token_address(authority, mint),
        **accounts,
    }
    return instructions.withdraw_unreserved(authority=authority, amount=amount, **given)


def set_paused(area: PauseArea, paused: bool = True, caller: Pubkey = AUTHORITY) -> Instruction:
    return instructions.set_paused(caller=caller, area=area, paused=paused)


def seeded_rates(
    mint: Pubkey, usd: int = ON_DEMAND_USD, fee_bps: int = FEE_BPS, subsidy_bps: int | None = None
) -> Rates:
    """Rates of a listing at `usd` micro-USD an hour in a seeded mint, by default with its whole subsidy."""
    terms = TERMS[mint]
    return rates(
        usd,
        PRICES[mint],
        DECIMALS[mint],
        fee_bps=fee_bps,
        extra_fee_bps=terms.extra_fee_bps,
        subsidy_bps=terms.subsidy_bps if subsidy_bps is None else subsidy_bps,
        burn_bps=terms.burn_bps,
    )
