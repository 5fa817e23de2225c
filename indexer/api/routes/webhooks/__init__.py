"""Webhooks of a wallet: its endpoints, their secrets, and their deliveries."""

from indexer.api.routes.webhooks import deliveries, endpoints, replay, secret, test

ROUTERS = tuple(module.router for module in (endpoints, secret, test, deliveries, replay))
