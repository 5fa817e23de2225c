"""Blocks and transactions as messages of the stream."""

from __future__ import annotations

from collections.abc import Sequence

from solders.message import Message, MessageV0, MessageV1
from solders.pubkey import Pubkey

from anchor_client.solana.yellowstone.generated import solana_storage_pb2 as storage
from anchor_client.solana.yellowstone.generated.geyser_pb2 import SubscribeUpdateBlock, SubscribeUpdateTransactionInfo
from anchor_idl import base58
from localnet.records import Json, TransactionRecord


def block_message(
    slot: int, block_time: int, records: Sequence[TransactionRecord], total: int, *, transactions: bool
) -> SubscribeUpdateBlock:
    """A block with some of its transactions, of which there are `total`."""
    return SubscribeUpdateBlock(
        slot=slot,
        parent_slot=slot - 1,
        block_time=storage.UnixTimestamp(timestamp=block_time),
        block_height=storage.BlockHeight(block_height=slot),
        executed_transaction_count=total,
        transactions=[_transaction(record) for record in records] if transactions else [],
    )


def _transaction(record: TransactionRecord) -> SubscribeUpdateTransactionInfo:
    signatures = [bytes(signature) for signature in record.transaction.signatures]
    return SubscribeUpdateTransactionInfo(
        signature=bytes(record.signature),
        transaction=storage.Transaction(signatures=signatures, message=_message(record.transaction.message)),
        meta=_meta(record.meta),
        index=record.index,
    )


def _message(message: Message | MessageV0 | MessageV1) -> storage.Message:
    header = message.header
    return storage.Message(
        header=storage.MessageHeader(
            num_required_signatures=header.num_required_signatures,
            num_readonly_signed_accounts=header.num_readonly_signed_accounts,
            num_readonly_unsigned_accounts=header.num_readonly_unsigned_accounts,
        ),
        account_keys=[bytes(key) for key in message.account_keys],
        recent_blockhash=bytes(message.recent_blockhash),
        instructions=[
            storage.CompiledInstruction(
                program_id_index=call.program_id_index, accounts=bytes(call.accounts), data=bytes(call.data)
            )
            for call in message.instructions
        ],
        versioned=not isinstance(message, Message),
        address_table_lookups=[
            storage.MessageAddressTableLookup(
                account_key=bytes(lookup.account_key),
                writable_indexes=bytes(lookup.writable_indexes),
                readonly_indexes=bytes(lookup.readonly_indexes),
            )
            for lookup in (message.address_table_lookups if isinstance(message, MessageV0) else ())
        ],
        config=_config(message) if isinstance(message, MessageV1) else None,
    )


def _config(message: MessageV1) -> storage.TransactionConfig:
    config = message.config
    return storage.TransactionConfig(
        priority_fee=config.priority_fee,
        compute_unit_limit=config.compute_unit_limit,
        loaded_accounts_data_size_limit=config.loaded_accounts_data_size_limit,
        heap_size=config.heap_size,
    )


def _meta(meta: dict[str, Json]) -> storage.TransactionStatusMeta:
    """That a transaction failed is said, and not with what: `err` is empty."""
    inner = meta["innerInstructions"]
    loaded = meta["loadedAddresses"]
    logs = meta["logMessages"]
    return storage.TransactionStatusMeta(
        err=None if meta["err"] is None else storage.TransactionError(),
        fee=meta["fee"],
        pre_balances=meta["preBalances"],
        post_balances=meta["postBalances"],
        inner_instructions=[_inner(group) for group in inner or ()],
        inner_instructions_none=inner is None,
        log_messages=logs or (),
        log_messages_none=logs is None,
        loaded_writable_addresses=[bytes(Pubkey.from_string(key)) for key in loaded["writable"]],
        loaded_readonly_addresses=[bytes(Pubkey.from_string(key)) for key in loaded["readonly"]],
        return_data_none=True,
        compute_units_consumed=meta.get("computeUnitsConsumed"),
    )


def _inner(group: dict[str, Json]) -> storage.InnerInstructions:
    calls = [
        storage.InnerInstruction(
            program_id_index=call["programIdIndex"],
            accounts=bytes(call["accounts"]),
            data=base58.decode(call["data"]),
            stack_height=call["stackHeight"],
        )
        for call in group["instructions"]
    ]
    return storage.InnerInstructions(index=group["index"], instructions=calls)
