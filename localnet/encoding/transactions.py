"""Transactions and their meta on the wire: json, jsonParsed, base58 and base64; legacy, v0 and v1."""

import base64

from solders.message import Message, MessageV0, MessageV1
from solders.transaction import VersionedTransaction

from anchor_idl import base58
from localnet.encoding.instructions import parse_instruction
from localnet.message_keys import MessageKeys, message_keys
from localnet.records import Json, TransactionRecord
from localnet.rpc.errors import UNSUPPORTED_TRANSACTION_VERSION, RpcError

ENCODINGS = ("binary", "base64", "base58", "json", "jsonParsed")
OUTER_STACK_HEIGHT = 1


class UnsupportedVersion(RpcError):
    """The client did not ask for transactions of this version."""

    def __init__(self, version: int) -> None:
        super().__init__(
            UNSUPPORTED_TRANSACTION_VERSION,
            f"Transaction version ({version}) is not supported by the requesting client. Please try the request "
            f'again with the following configuration parameter: "maxSupportedTransactionVersion": {version}',
        )


def version_of(transaction: VersionedTransaction) -> int | str:
    """ "legacy", 0 or 1."""
    match transaction.message:
        case Message():
            return "legacy"
        case MessageV0():
            return 0
        case _:
            return 1


def transaction_with_meta(record: TransactionRecord, encoding: str, max_version: int | None) -> dict[str, Json]:
    """`transaction`, `meta` and, for clients that know versions, `version`. Raises UnsupportedVersion."""
    version = version_of(record.transaction)
    if isinstance(version, int) and (max_version is None or version > max_version):
        raise UnsupportedVersion(version)
    keys = record_keys(record)
    encoded: dict[str, Json] = {
        "transaction": transaction_json(record.transaction, encoding, keys),
        "meta": parsed_meta(record, keys) if encoding == "jsonParsed" else record.meta,
    }
    if max_version is not None:
        encoded["version"] = version
    return encoded


def record_keys(record: TransactionRecord) -> MessageKeys:
    """The record's keys with their roles, loaded ones as they were when it ran."""
    keys = record.account_keys()
    static = len(record.transaction.message.account_keys)
    writable = len(record.meta["loadedAddresses"]["writable"])
    return message_keys(record.transaction.message, keys[static : static + writable], keys[static + writable :])


def transaction_json(transaction: VersionedTransaction, encoding: str, keys: MessageKeys) -> Json:
    """A transaction in an encoding; `binary` is the legacy form, bare base58."""
    match encoding:
        case "binary":
            return base58.encode(bytes(transaction))
        case "base58":
            return [base58.encode(bytes(transaction)), "base58"]
        case "base64":
            return [base64.b64encode(bytes(transaction)).decode(), "base64"]
        case "jsonParsed":
            message = _parsed_message(transaction.message, keys)
        case _:
            message = _message(transaction.message)
    return {"signatures": [str(signature) for signature in transaction.signatures], "message": message}


def accounts_json(transaction: VersionedTransaction, keys: MessageKeys) -> dict[str, Json]:
    """Signatures and account keys alone: what `transactionDetails: accounts` asks for."""
    signatures = [str(signature) for signature in transaction.signatures]
    return {"signatures": signatures, "accountKeys": _account_keys(keys)}


def parsed_meta(record: TransactionRecord, keys: MessageKeys) -> dict[str, Json]:
    """The meta with parsed inner instructions; loaded addresses are among the parsed keys already."""
    inner = record.meta["innerInstructions"]
    meta = {key: value for key, value in record.meta.items() if key != "loadedAddresses"}
    meta["innerInstructions"] = inner and parsed_inner_instructions(inner, keys)
    return meta


def parsed_inner_instructions(inner: list[dict[str, Json]], keys: MessageKeys) -> list[dict[str, Json]]:
    """Inner instructions in jsonParsed form."""
    return [
        {**group, "instructions": [parse_instruction(instruction, keys.all) for instruction in group["instructions"]]}
        for group in inner
    ]


def _message(message: Message | MessageV0 | MessageV1) -> dict[str, Json]:
    header = message.header
    encoded: dict[str, Json] = {
        "header": {
            "numRequiredSignatures": header.num_required_signatures,
            "numReadonlySignedAccounts": header.num_readonly_signed_accounts,
            "numReadonlyUnsignedAccounts": header.num_readonly_unsigned_accounts,
        },
        "accountKeys": [str(key) for key in message.account_keys],
        "recentBlockhash": str(message.recent_blockhash),
        "instructions": _instructions(message),
    }
    return encoded | _versioned(message)


def _parsed_message(message: Message | MessageV0 | MessageV1, keys: MessageKeys) -> dict[str, Json]:
    encoded: dict[str, Json] = {
        "accountKeys": _account_keys(keys),
        "recentBlockhash": str(message.recent_blockhash),
        "instructions": [parse_instruction(instruction, keys.all) for instruction in _instructions(message)],
    }
    return encoded | _versioned(message)


def _versioned(message: Message | MessageV0 | MessageV1) -> dict[str, Json]:
    if isinstance(message, MessageV0):
        return {
            "addressTableLookups": [
                {
                    "accountKey": str(lookup.account_key),
                    "writableIndexes": list(lookup.writable_indexes),
                    "readonlyIndexes": list(lookup.readonly_indexes),
                }
                for lookup in message.address_table_lookups
            ]
        }
    if isinstance(message, MessageV1):
        config = message.config
        return {
            "transactionConfig": {
                "priorityFee": config.priority_fee,
                "computeUnitLimit": config.compute_unit_limit,
                "loadedAccountsDataSizeLimit": config.loaded_accounts_data_size_limit,
                "heapSize": config.heap_size,
            }
        }
    return {}


def _instructions(message: Message | MessageV0 | MessageV1) -> list[dict[str, Json]]:
    return [
        {
            "programIdIndex": instruction.program_id_index,
            "accounts": list(instruction.accounts),
            "data": base58.encode(instruction.data),
            "stackHeight": OUTER_STACK_HEIGHT,
        }
        for instruction in message.instructions
    ]


def _account_keys(keys: MessageKeys) -> list[dict[str, Json]]:
    writable = set(keys.writable_indices)
    return [
        {
            "pubkey": str(key),
            "signer": index < keys.signers,
            "source": "transaction" if index < len(keys.static) else "lookupTable",
            "writable": index in writable,
        }
        for index, key in enumerate(keys.all)
    ]
