"""The properties, by area; importing this states them all."""

from tests.program.proofs.properties import (
    arithmetic,
    budgets,
    endings,
    escrow,
    fees,
    hosts,
    prices,
    rates,
    staking,
    subsidies,
)

__all__ = [
    "arithmetic",
    "budgets",
    "endings",
    "escrow",
    "fees",
    "hosts",
    "prices",
    "rates",
    "staking",
    "subsidies",
]
