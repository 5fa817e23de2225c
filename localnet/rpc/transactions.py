"""Sending, simulating and looking up transactions."""

from solders.signature import Signature

from anchor_client.service.optional import optional
from localnet.cluster import Cluster
from localnet.encoding.transactions import ENCODINGS, transaction_with_meta
from localnet.errors import TransactionDropped
from localnet.records import Json, SignatureEntry, TransactionRecord
from localnet.rpc.context import read_slot, require_confirmed, with_context
from localnet.rpc.errors import (
    FILTER_TRANSACTION_NOT_FOUND,
    INTERNAL_ERROR,
    RpcError,
    invalid_params,
)
from localnet.rpc.params import Params, as_signature
from localnet.rpc.registry import method

MAX_STATUSES = 256
MAX_HISTORY = 1000


def transaction_config(params: Params, index: int, struct: str) -> Params:
    """A config, which may also be just the name of an encoding (legacy)."""
    value = params.value(index)
    if isinstance(value, str):
        config = Params({"encoding": value})
    else:
        config = params.config(index, struct)
    encoding = config.value("encoding")
    if encoding is not None and encoding not in ENCODINGS:
        raise invalid_params(f"Invalid params: data did not match any variant of untagged enum {struct}.")
    return config


@method("getTransaction", 1, 1)
def get_transaction(cluster: Cluster, params: Params) -> Json:
    """A landed transaction; null when there is none at the commitment."""
    signature = params.signature(0)
    config = transaction_config(params, 1, "RpcEncodingConfigWrapper")
    require_confirmed(config)
    newest = read_slot(cluster, config)
    record = cluster.store.transaction(signature)
    if record is None or record.slot > newest:
        return None
    version = config.number("maxSupportedTransactionVersion", "u8")
    return landed(cluster, record, config.text("encoding") or "json", version)


def landed(cluster: Cluster, record: TransactionRecord, encoding: str, max_version: int | None) -> dict[str, Json]:
    """A landed transaction in getTransaction's form. Raises UnsupportedVersion."""
    return {
        "slot": record.slot,
        "transactionIndex": record.index,
        "blockTime": cluster.timeline.unix_ms_of(record.slot) // 1000,
        **transaction_with_meta(record, encoding, max_version),
    }


@method("getSignatureStatuses", 1, 1)
def get_signature_statuses(cluster: Cluster, params: Params) -> Json:
    """The status of up to 256 transactions."""
    texts = params.strings(0)
    if len(texts) > MAX_STATUSES:
        raise invalid_params(f"Too many inputs provided; max {MAX_STATUSES}")
    signatures = [as_signature(text) for text in texts]
    cluster.advance()
    return with_context(cluster.slot, [_status(cluster, cluster.store.entry(signature)) for signature in signatures])


@method("getSignaturesForAddress", 1, 1)
def get_signatures_for_address(cluster: Cluster, params: Params) -> Json:
    """Transactions that name an address, newest first."""
    address = params.pubkey(0)
    config = params.config(1, "RpcSignaturesForAddressConfig")
    require_confirmed(config)
    before = config.text("before")
    until = config.text("until")
    positions = [optional(as_signature, text) for text in (before, until)]
    limit = config.number("limit", "usize")
    limit = MAX_HISTORY if limit is None else limit
    if not 0 < limit <= MAX_HISTORY:
        raise invalid_params(f"Invalid limit; max {MAX_HISTORY}")
    newest = read_slot(cluster, config)
    entries = cluster.store.history(
        address,
        newest_slot=newest,
        limit=limit,
        before=_position(cluster, positions[0]),
        until=_position(cluster, positions[1]),
    )
    return [
        {
            "signature": str(entry.signature),
            "slot": entry.slot,
            "transactionIndex": entry.index,
            "err": entry.err,
            "memo": entry.memo,
            "blockTime": cluster.timeline.unix_ms_of(entry.slot) // 1000,
            "confirmationStatus": _confirmation(cluster, entry.slot),
        }
        for entry in entries
    ]


@method("requestAirdrop", 2, 1)
def request_airdrop(cluster: Cluster, params: Params) -> Json:
    """Pays lamports from the faucet; the signature of the transfer."""
    address = params.pubkey(0)
    lamports = params.u64(1)
    try:
        return str(cluster.airdrop(address, lamports))
    except TransactionDropped as error:
        raise RpcError(INTERNAL_ERROR, "Internal error", str(error)) from None


@method("getTransactionCount", 0, 1)
def get_transaction_count(cluster: Cluster, params: Params) -> Json:
    """Number of transactions that have landed."""
    return cluster.store.count_until(read_slot(cluster, params.config(0, "RpcContextConfig")))


def _status(cluster: Cluster, entry: SignatureEntry | None) -> Json:
    if entry is None:
        return None
    finalized = entry.slot <= cluster.finalized_slot
    return {
        "slot": entry.slot,
        "confirmations": None if finalized else cluster.slot - entry.slot,
        "status": {"Ok": None} if entry.err is None else {"Err": entry.err},
        "err": entry.err,
        "confirmationStatus": _confirmation(cluster, entry.slot),
    }


def _confirmation(cluster: Cluster, slot: int) -> str:
    return "finalized" if slot <= cluster.finalized_slot else "confirmed"


def _position(cluster: Cluster, signature: Signature | None) -> tuple[int, int] | None:
    if signature is None:
        return None
    entry = cluster.store.entry(signature)
    if entry is None:
        raise RpcError(FILTER_TRANSACTION_NOT_FOUND, f"Transaction {signature} not found")
    return entry.slot, entry.index
