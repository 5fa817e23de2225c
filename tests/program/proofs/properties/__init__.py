"""The properties, by area; importing this states them all."""

from tests.program.proofs.properties import arithmetic, endings, escrow, fees, hosts, rates, staking, subsidies

__all__ = ["arithmetic", "endings", "escrow", "fees", "hosts", "rates", "staking", "subsidies"]
