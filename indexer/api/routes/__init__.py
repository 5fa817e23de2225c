"""One resource a file."""

from indexer.api import documentation
from indexer.api.routes import (
    acts,
    auth,
    balances,
    blocks,
    carbon,
    charges,
    due,
    epochs,
    faucet,
    feed,
    figures,
    governance,
    gpus,
    health,
    hosts,
    job_notes,
    jobs,
    listings,
    market,
    mfp,
    network,
    nodes,
    quota,
    requests,
    sealed_orders,
    series,
    solana_actions,
    spot,
    staking,
    terms,
    tokens,
    transactions,
    votes,
    webhooks,
)
from indexer.api.routes.books import bids, burns, fees, listing_prices, payouts, prices, treasury

_RENTING = (
    *(gpus, tokens, listings, figures, listing_prices, hosts, jobs, job_notes, due, charges),
    *(sealed_orders, requests, quota, balances, spot, mfp),
)
_BOOKS = (bids, burns, carbon, epochs, fees, nodes, payouts, prices, treasury, votes)
_GENERAL = (staking, market, network, governance, terms, transactions, blocks, faucet, health, documentation)
ROUTERS = (
    *(module.router for module in (*_RENTING, *_BOOKS, *_GENERAL)),
    *(*series.ROUTERS, *acts.ROUTERS, *auth.ROUTERS, *webhooks.ROUTERS, *solana_actions.ROUTERS, feed.router),
)
