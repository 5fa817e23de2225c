"""A seeded market on the embedded cluster."""

from tests.markets.served import marketplace

__all__ = ["marketplace"]
