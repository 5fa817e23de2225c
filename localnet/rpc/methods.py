"""The registry with every method in it."""

from localnet.rpc import accounts, blocks, cheats, cluster_info, fees, sending, tokens, transactions
from localnet.rpc.registry import RPC

FAMILIES = (accounts, blocks, cheats, cluster_info, fees, sending, tokens, transactions)

__all__ = ["FAMILIES", "RPC"]
