"""sendTransaction and simulateTransaction."""

from solders.hash import Hash
from solders.message import Message, MessageV0, MessageV1
from solders.transaction import VersionedTransaction

from localnet.blockhashes import MAX_PROCESSING_AGE
from localnet.cluster import Cluster
from localnet.encoding.accounts import account_json
from localnet.encoding.errors import error_message
from localnet.encoding.meta import loaded_addresses_json
from localnet.encoding.transactions import parsed_inner_instructions
from localnet.errors import TransactionDropped
from localnet.processor import SimulatedRun
from localnet.records import Json
from localnet.rpc.accounts import account_encoding
from localnet.rpc.context import is_finalized, read_slot, with_context
from localnet.rpc.errors import (
    SEND_TRANSACTION_PREFLIGHT_FAILURE,
    RpcError,
    invalid_params,
)
from localnet.rpc.params import Params, as_pubkey
from localnet.rpc.registry import method
from localnet.rpc.wire_transactions import decode_transaction

UNTOLD_BY_PREFLIGHT = ("preBalances", "postBalances", "preTokenBalances", "postTokenBalances", "loadedAddresses")
LOOKUP_ERRORS = (
    "AddressLookupTableNotFound",
    "InvalidAddressLookupTableOwner",
    "InvalidAddressLookupTableData",
    "InvalidAddressLookupTableIndex",
)


@method("sendTransaction", 1, 1)
def send_transaction(cluster: Cluster, params: Params) -> Json:
    """Submits a signed transaction; its signature, whether or not it lands.

    Unless preflight is skipped, one that would fail is refused with -32002 and costs nothing.
    """
    config = params.config(1, "RpcSendTransactionConfig")
    transaction = decode_transaction(params.string(0), config)
    _require_lookups(cluster, transaction)
    if not config.flag("skipPreflight"):
        read_slot(cluster, Params({"commitment": "processed", "minContextSlot": config.value("minContextSlot")}))
        _preflight(cluster, transaction)
    try:
        cluster.execute(transaction)
    except TransactionDropped:
        """A validator forwards it and does not learn of its fate."""
    return str(transaction.signatures[0])


@method("simulateTransaction", 1, 1)
def simulate_transaction(cluster: Cluster, params: Params) -> Json:
    """Runs a transaction without keeping its effects."""
    config = params.config(1, "RpcSimulateTransactionConfig")
    transaction = decode_transaction(params.string(0), config)
    _require_lookups(cluster, transaction)
    slot = read_slot(cluster, config)
    replace = config.flag("replaceRecentBlockhash")
    verify = config.flag("sigVerify")
    if replace and verify:
        raise invalid_params("sigVerify may not be used with replaceRecentBlockhash")
    if replace:
        transaction = _with_blockhash(transaction, cluster.latest_blockhash(finalized=is_finalized(config)))
    simulation = cluster.simulate(transaction, check_signatures=verify, check_age=not replace)
    accounts = _accounts(cluster, simulation, config)
    result = _simulation_json(simulation, inner=config.flag("innerInstructions")) | {"accounts": accounts}
    if replace:
        result["replacementBlockhash"] = {
            "blockhash": str(transaction.message.recent_blockhash),
            "lastValidBlockHeight": cluster.latest_blockhash_slot(finalized=is_finalized(config)) + MAX_PROCESSING_AGE,
        }
    return with_context(slot, result)


def _preflight(cluster: Cluster, transaction: VersionedTransaction) -> None:
    simulation = cluster.simulate(transaction)
    err = simulation.outcome.err
    if err is not None:
        data = _simulation_json(simulation, inner=False) | dict.fromkeys(UNTOLD_BY_PREFLIGHT)
        message = f"Transaction simulation failed: {error_message(err)}"
        raise RpcError(SEND_TRANSACTION_PREFLIGHT_FAILURE, message, data)


def _require_lookups(cluster: Cluster, transaction: VersionedTransaction) -> None:
    """Refuses a transaction whose lookup tables do not resolve, as validators do before anything else."""
    if isinstance(transaction.message, MessageV0) and transaction.message.address_table_lookups:
        outcome = cluster.simulate(transaction, check_signatures=False, check_age=False).outcome
        if outcome.err in LOOKUP_ERRORS:
            raise invalid_params(f"invalid transaction: {error_message(outcome.err)}")


def _simulation_json(simulation: SimulatedRun, *, inner: bool) -> dict[str, Json]:
    outcome = simulation.outcome
    keys = simulation.keys
    before = simulation.before or (None, None)
    after = simulation.after or (None, None)
    return {
        "err": outcome.err,
        "logs": outcome.logs,
        "accounts": None,
        "unitsConsumed": outcome.units,
        "loadedAccountsDataSize": outcome.loaded_bytes,
        "returnData": outcome.return_data,
        "innerInstructions": parsed_inner_instructions(outcome.inner_instructions, keys) if inner else None,
        "fee": outcome.fee,
        "preBalances": before[0],
        "postBalances": after[0],
        "preTokenBalances": before[1],
        "postTokenBalances": after[1],
        "loadedAddresses": loaded_addresses_json(keys.loaded_writable, keys.loaded_readonly),
        "replacementBlockhash": None,
    }


def _accounts(cluster: Cluster, simulation: SimulatedRun, config: Params) -> Json:
    if config.value("accounts") is None:
        return None
    wanted = config.config("accounts", "RpcSimulateTransactionAccountsConfig")
    encoding = account_encoding(wanted, "base64")
    if encoding.name in ("binary", "base58"):
        raise invalid_params("base58 encoding not supported")
    addresses = [as_pubkey(text) for text in wanted.strings("addresses")]
    if simulation.outcome.err is not None:
        return [None] * len(addresses)
    if len(addresses) > len(simulation.keys.all):
        raise invalid_params(f"Too many accounts provided; max {len(simulation.keys.all)}")
    after = simulation.outcome.after
    states = [after[address] if address in after else cluster.account(address) for address in addresses]
    return [None if state is None else account_json(state, encoding, cluster.account) for state in states]


def _with_blockhash(transaction: VersionedTransaction, blockhash: Hash) -> VersionedTransaction:
    message = transaction.message
    replaced: Message | MessageV0 | MessageV1
    match message:
        case Message():
            header = message.header
            replaced = Message.new_with_compiled_instructions(
                header.num_required_signatures,
                header.num_readonly_signed_accounts,
                header.num_readonly_unsigned_accounts,
                message.account_keys,
                blockhash,
                message.instructions,
            )
        case MessageV0():
            replaced = MessageV0(
                message.header, message.account_keys, blockhash, message.instructions, message.address_table_lookups
            )
        case _:
            replaced = MessageV1(message.header, message.config, blockhash, message.account_keys, message.instructions)
    return VersionedTransaction.populate(replaced, transaction.signatures)
