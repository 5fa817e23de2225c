"""Slots and blocks. Every slot has a block; a block is available once its slot has ended."""

from localnet.cluster import Cluster
from localnet.encoding.transactions import (
    accounts_json,
    record_keys,
    transaction_with_meta,
    version_of,
)
from localnet.records import Json, TransactionRecord
from localnet.rpc.context import is_finalized, read_slot, require_confirmed
from localnet.rpc.errors import BLOCK_CLEANED_UP, RpcError, block_not_available, invalid_params
from localnet.rpc.params import Params
from localnet.rpc.registry import method
from localnet.rpc.transactions import transaction_config

MAX_RANGE = 500_000
DETAILS = ("full", "signatures", "none", "accounts")


def newest_block(cluster: Cluster, config: Params) -> int:
    """The newest complete block at a commitment."""
    return read_slot(cluster, config) if is_finalized(config) else cluster.slot - 1


@method("getSlot", 0, 1)
def get_slot(cluster: Cluster, params: Params) -> Json:
    """The slot at a commitment."""
    return read_slot(cluster, params.config(0, "RpcContextConfig"))


@method("getBlockHeight", 0, 1)
def get_block_height(cluster: Cluster, params: Params) -> Json:
    """The block height at a commitment: no slot is ever skipped, so it is the slot."""
    return read_slot(cluster, params.config(0, "RpcContextConfig"))


@method("getBlock", 1, 1)
def get_block(cluster: Cluster, params: Params) -> Json:
    """A complete block with as much of its transactions as asked for."""
    slot = params.u64(0)
    config = transaction_config(params, 1, "RpcEncodingConfigWrapper")
    require_confirmed(config)
    details = config.choice("transactionDetails", DETAILS) or "full"
    cluster.advance()
    _require_block(cluster, slot, newest_block(cluster, config))
    block: dict[str, Json] = {
        "blockHeight": slot,
        "blockTime": cluster.timeline.unix_ms_of(slot) // 1000,
        "blockhash": str(cluster.blockhashes.of(slot)),
        "parentSlot": max(0, slot - 1),
        "previousBlockhash": str(cluster.blockhashes.of(max(0, slot - 1))),
    }
    if details == "signatures":
        block["signatures"] = [str(record.signature) for record in cluster.store.block(slot)]
    elif details != "none":
        block["transactions"] = [_transaction(record, details, config) for record in cluster.store.block(slot)]
    if config.flag("rewards", default=True):
        block["rewards"] = []
    return block


@method("getBlockTime", 1)
def get_block_time(cluster: Cluster, params: Params) -> Json:
    """When a complete slot began, in unix seconds."""
    slot = params.u64(0)
    cluster.advance()
    _require_block(cluster, slot, cluster.slot - 1)
    return cluster.timeline.unix_ms_of(slot) // 1000


@method("getBlocks", 1, 2)
def get_blocks(cluster: Cluster, params: Params) -> Json:
    """The complete blocks from a slot to another."""
    start = params.u64(0)
    end = params.value(1)
    config = params.config(1 if isinstance(end, dict) else 2, "RpcContextConfig")
    require_confirmed(config)
    newest = newest_block(cluster, config)
    if end is None or isinstance(end, dict):
        last = newest
    else:
        last = min(newest, params.u64(1))
    if last - start > MAX_RANGE:
        raise invalid_params(f"Slot range too large; max {MAX_RANGE}")
    return list(range(max(start, cluster.store.first_slot), last + 1))


@method("getBlocksWithLimit", 2, 1)
def get_blocks_with_limit(cluster: Cluster, params: Params) -> Json:
    """Up to `limit` complete blocks from a slot on."""
    start = params.u64(0)
    limit = params.u64(1, "usize")
    config = params.config(2, "RpcContextConfig")
    require_confirmed(config)
    if limit > MAX_RANGE:
        raise invalid_params(f"Limit too large; max {MAX_RANGE}")
    first = max(start, cluster.store.first_slot)
    return list(range(first, min(first + limit, newest_block(cluster, config) + 1)))


@method("getBlockCommitment", 1)
def get_block_commitment(cluster: Cluster, params: Params) -> Json:
    """No stake votes here, so there is none to show."""
    params.u64(0)
    return {"commitment": None, "totalStake": 0}


@method("getFirstAvailableBlock")
def get_first_available_block(cluster: Cluster, params: Params) -> Json:
    """The oldest slot the ledger still holds."""
    return cluster.store.first_slot


@method("minimumLedgerSlot")
def minimum_ledger_slot(cluster: Cluster, params: Params) -> Json:
    """The oldest slot the ledger still holds."""
    return cluster.store.first_slot


def _require_block(cluster: Cluster, slot: int, newest: int) -> None:
    if slot > newest:
        raise block_not_available(slot)
    first = cluster.store.first_slot
    if slot < first:
        raise RpcError(
            BLOCK_CLEANED_UP, f"Block {slot} cleaned up, does not exist on node. First available block: {first}"
        )


def _transaction(record: TransactionRecord, details: str, config: Params) -> dict[str, Json]:
    encoding = config.text("encoding") or "json"
    version = config.number("maxSupportedTransactionVersion", "u8")
    encoded = transaction_with_meta(record, encoding, version)
    if details == "full":
        return encoded
    hidden = ("innerInstructions", "logMessages", "loadedAddresses", "returnData", "computeUnitsConsumed", "costUnits")
    meta = {key: value for key, value in record.meta.items() if key not in hidden}
    summary = {"transaction": accounts_json(record.transaction, record_keys(record)), "meta": meta}
    if version is None:
        return summary
    return {**summary, "version": version_of(record.transaction)}
