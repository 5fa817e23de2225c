"""Blockhashes, fees and rent."""

from solders.hash import Hash
from solders.message import from_bytes_versioned
from solders.transaction import VersionedTransaction

from localnet.blockhashes import MAX_PROCESSING_AGE
from localnet.cluster import Cluster
from localnet.fees import fee_of
from localnet.prioritization import RETAINED_SLOTS
from localnet.records import Json
from localnet.rpc.binary_text import base64_param
from localnet.rpc.context import is_finalized, read_slot, with_context
from localnet.rpc.errors import INVALID_REQUEST, RpcError, invalid_params
from localnet.rpc.params import Params, as_pubkey
from localnet.rpc.registry import method

MAX_PRIORITIZATION_ACCOUNTS = 128
MAX_ACCOUNT_BYTES = 10 * 1024 * 1024
MESSAGE_TYPE = "solana_message::versions::VersionedMessage"


@method("getLatestBlockhash", 0, 1)
def get_latest_blockhash(cluster: Cluster, params: Params) -> Json:
    """The hash a new transaction should name, and the last block height at which it may land."""
    config = params.config(0, "RpcContextConfig")
    slot = read_slot(cluster, config)
    of = cluster.latest_blockhash_slot(finalized=is_finalized(config))
    value = {"blockhash": str(cluster.blockhashes.of(of)), "lastValidBlockHeight": of + MAX_PROCESSING_AGE}
    return with_context(slot, value)


@method("isBlockhashValid", 1, 1)
def is_blockhash_valid(cluster: Cluster, params: Params) -> Json:
    """True where a transaction may still name a hash."""
    try:
        blockhash = Hash(bytes(params.pubkey(0)))
    except RpcError as error:
        raise invalid_params(error.message.removeprefix("Invalid param: ")) from None
    slot = read_slot(cluster, params.config(1, "RpcContextConfig"))
    return with_context(slot, cluster.blockhashes.is_valid(blockhash, cluster.slot))


@method("getFeeForMessage", 1, 1)
def get_fee_for_message(cluster: Cluster, params: Params) -> Json:
    """Lamports a message would cost; null when its blockhash is not valid."""
    raw = base64_param(params.string(0))
    try:
        message = from_bytes_versioned(raw)
    except ValueError as error:
        raise invalid_params(f"failed to deserialize {MESSAGE_TYPE}: {error}") from None
    slot = read_slot(cluster, params.config(1, "RpcContextConfig"))
    if not cluster.blockhashes.is_valid(message.recent_blockhash, cluster.slot):
        return with_context(slot, None)
    return with_context(slot, fee_of(VersionedTransaction.populate(message, [])))


@method("getRecentPrioritizationFees", 0, 1)
def get_recent_prioritization_fees(cluster: Cluster, params: Params) -> Json:
    """The smallest price of each of the last 150 slots, in micro-lamports a compute unit."""
    texts = [] if params.value(0) is None else params.strings(0)
    if len(texts) > MAX_PRIORITIZATION_ACCOUNTS:
        raise invalid_params(f"Too many inputs provided; max {MAX_PRIORITIZATION_ACCOUNTS}")
    accounts = [as_pubkey(text) for text in texts]
    cluster.advance()
    slots = range(max(0, cluster.slot - RETAINED_SLOTS + 1), cluster.slot + 1)
    return [{"slot": slot, "prioritizationFee": cluster.prioritization.fee(slot, accounts)} for slot in slots]


@method("getMinimumBalanceForRentExemption", 1, 1)
def get_minimum_balance_for_rent_exemption(cluster: Cluster, params: Params) -> Json:
    """Lamports that make an account of a size rent-exempt."""
    size = params.u64(0, "usize")
    if size > MAX_ACCOUNT_BYTES:
        raise RpcError(INVALID_REQUEST, "Invalid request")
    return cluster.bank.minimum_balance(size)
