"""The stake pool with a reward stream of every payment mint, and the catalog of GPU models."""

from __future__ import annotations

from collections.abc import Iterator

from anchor_client.deploy.steps import DeployStep
from anchor_client.generated.instructions import add_reward_mint, initialize_catalog, initialize_pool, set_gpu_model
from anchor_client.generated.pdas import find_catalog, find_pool
from anchor_client.rules.catalog import GPU_MODELS
from anchor_client.solana.tokens import associated_token, create_associated_token
from local_market.addresses import LocalMints
from local_market.keys import MarketKeyring
from local_market.machines import gpu_terms


def open_staking(keys: MarketKeyring, tokens: LocalMints) -> Iterator[DeployStep]:
    """The pool, whose first epoch begins now; streams are numbered in the order of the tokens."""
    authority = keys.authority.pubkey()
    pool = find_pool()[0]
    for token in tokens.all():
        pool_token = associated_token(pool, token.mint)
        account = create_associated_token(authority, pool, token.mint)
        stream = add_reward_mint(authority=authority, mint=token.mint, stream_token=pool_token)
        if token == tokens.market_token:
            initialize = initialize_pool(authority=authority, pool_token=pool_token)
            yield DeployStep(pool, keys.authority, (account, initialize, stream))
        else:
            yield DeployStep(pool_token, keys.authority, (account, stream))


def open_catalog(keys: MarketKeyring, tokens: LocalMints) -> Iterator[DeployStep]:
    """The catalog with points and reference price of every model."""
    authority = keys.authority.pubkey()
    catalog = find_catalog()[0]
    mint = tokens.market_token.mint
    yield DeployStep(
        catalog,
        keys.authority,
        (
            create_associated_token(authority, catalog, mint),
            initialize_catalog(authority=authority, catalog_token=associated_token(catalog, mint)),
            *(set_gpu_model(number=model.id, terms=gpu_terms(model), authority=authority) for model in GPU_MODELS),
        ),
    )
