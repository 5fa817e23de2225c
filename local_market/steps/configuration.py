"""The market account, payment mints with prices, and vaults with their share of the subsidy."""

from __future__ import annotations

from collections.abc import Iterator

from anchor_client.deploy.steps import DeployStep
from anchor_client.generated.instructions import (
    add_payment_mint,
    add_vault,
    fund_subsidy,
    initialize_market,
    post_price,
    update_market,
)
from anchor_client.generated.pdas import find_market, find_payment_mint, find_vault
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.market_keys import MarketKeys
from anchor_client.generated.types.oracle_kind import OracleKind
from anchor_client.generated.types.payment_mint_terms import PaymentMintTerms
from anchor_client.solana.loader import program_data
from anchor_client.solana.tokens import associated_token, create_associated_token
from local_market.addresses import LocalMints, Token
from local_market.keys import MarketKeyring
from local_market.terms import LocalTerms


def open_market(keys: MarketKeyring, tokens: LocalMints, terms: LocalTerms) -> Iterator[DeployStep]:
    """The market with its parameters."""
    authority = keys.authority.pubkey()
    initialize = initialize_market(
        keys=MarketKeys(guardian=keys.guardian.pubkey(), treasury=keys.treasury.pubkey()),
        testing=terms.testing,
        authority=authority,
        program_data=program_data(PROGRAM_ID),
        market_mint=tokens.market_token.mint,
    )
    updates = (
        update_market(parameter=parameter, value=value, authority=authority)
        for parameter, value in terms.parameters.items()
    )
    yield DeployStep(find_market()[0], keys.authority, (initialize, *updates))


def add_payment_mints(keys: MarketKeyring, tokens: LocalMints) -> Iterator[DeployStep]:
    """Every payment mint, with a first price where an oracle posts it."""
    for token in tokens.all():
        payment_mint = find_payment_mint(token.mint)[0]
        add = add_payment_mint(terms=_terms(token, keys), authority=keys.authority.pubkey(), mint=token.mint)
        if token.terms.pinned:
            yield DeployStep(payment_mint, keys.authority, (add,))
            continue
        post = post_price(price=token.terms.price, oracle=keys.oracle.pubkey(), payment_mint=payment_mint)
        yield DeployStep(payment_mint, keys.authority, (add, post), (keys.oracle,))


def add_vaults(keys: MarketKeyring, tokens: LocalMints) -> Iterator[DeployStep]:
    """Every vault shard; those of the market token with their share of the subsidy pool."""
    authority = keys.authority.pubkey()
    for token in tokens.all():
        for shard in range(token.terms.shards):
            vault = find_vault(token.mint, shard)[0]
            vault_token = associated_token(vault, token.mint)
            instructions = [
                create_associated_token(authority, vault, token.mint),
                add_vault(shard=shard, caller=authority, mint=token.mint, vault_token=vault_token),
            ]
            if token.terms.subsidy_tokens_per_shard:
                instructions.append(
                    fund_subsidy(
                        amount=token.base_units(token.terms.subsidy_tokens_per_shard),
                        funder=authority,
                        vault=vault,
                        vault_token=vault_token,
                        funder_token=associated_token(authority, token.mint),
                    )
                )
            yield DeployStep(vault, keys.authority, tuple(instructions))


def _terms(token: Token, keys: MarketKeyring) -> PaymentMintTerms:
    terms = token.terms
    return PaymentMintTerms(
        oracle_kind=OracleKind.PINNED if terms.pinned else OracleKind.POSTED,
        enabled=True,
        shards=terms.shards,
        oracle=keys.oracle.pubkey(),
        pinned_price=terms.price if terms.pinned else 0,
        max_age=terms.max_age,
        subsidy_bps=terms.subsidy_bps,
        burn_bps=terms.burn_bps,
        extra_fee_bps=terms.extra_fee_bps,
        max_confidence_bps=0,
    )
