"""Commitments and the context that answers carry."""

from localnet.cluster import Cluster
from localnet.records import Json
from localnet.rpc.errors import MIN_CONTEXT_SLOT_NOT_REACHED, RpcError, invalid_params
from localnet.rpc.params import Params

API_VERSION = "4.2.2"
UNFINALIZED = ("processed", "confirmed", "recent", "single", "singleGossip")


def is_finalized(config: Params) -> bool:
    """True where the finalized state is asked for, which is the default."""
    return config.commitment not in UNFINALIZED


def read_slot(cluster: Cluster, config: Params) -> int:
    """The slot an answer is of. Raises RpcError -32016 when it is before minContextSlot."""
    cluster.advance()
    slot = cluster.finalized_slot if is_finalized(config) else cluster.slot
    least = config.number("minContextSlot")
    if least is not None and slot < least:
        raise RpcError(MIN_CONTEXT_SLOT_NOT_REACHED, "Minimum context slot has not been reached", {"contextSlot": slot})
    return slot


def require_confirmed(config: Params) -> None:
    """Refuses `processed` for methods that read the ledger."""
    if config.commitment in ("processed", "recent"):
        raise invalid_params("Method does not support commitment below `confirmed`")


def with_context(slot: int, value: Json) -> dict[str, Json]:
    """A value with the slot it is of."""
    return {"context": {"apiVersion": API_VERSION, "slot": slot}, "value": value}
