"""Solana Actions, version 2.4 of their specification: the acts that wallets, QR codes and links show as buttons."""

from indexer.api.routes.solana_actions import listings, proposals, rules, staking

ROUTERS = tuple(module.router for module in (rules, listings, proposals, staking))
