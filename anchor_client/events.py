"""The market's events in a landed transaction: self-CPI inner instructions of the program that start with EVENT_TAG."""

from __future__ import annotations

from collections.abc import Iterator

from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from solders.transaction_status import EncodedTransactionWithStatusMeta, UiCompiledInstruction

from anchor_client.generated.events import EVENT_TAG, decode_cpi_event
from anchor_client.generated.pdas import find_event_authority
from anchor_client.generated.program import PROGRAM_ID
from anchor_idl import base58
from anchor_idl.runtime.structs import Event


def events_of(transaction: EncodedTransactionWithStatusMeta, program_id: Pubkey = PROGRAM_ID) -> tuple[Event, ...]:
    """The events of a transaction in the order they were emitted; none of one that failed.

    Only the program can sign for its event authority, so an inner instruction that names it is the program's own.
    Raises UnknownEvent or UndecodableEvent for what a newer program may have emitted.
    """
    return tuple(_decoded(transaction, program_id))


def _decoded(transaction: EncodedTransactionWithStatusMeta, program_id: Pubkey) -> Iterator[Event]:
    meta = transaction.meta
    if meta is None or meta.err is not None:
        return
    keys = account_keys(transaction)
    authority = find_event_authority(program_id)[0]
    for group in meta.inner_instructions or ():
        for instruction in group.instructions:
            if not isinstance(instruction, UiCompiledInstruction) or keys[instruction.program_id_index] != program_id:
                continue
            accounts = [keys[index] for index in bytes(instruction.accounts)]
            data = base58.decode(instruction.data)
            if accounts[:1] == [authority] and data.startswith(EVENT_TAG):
                yield decode_cpi_event(data)


def account_keys(transaction: EncodedTransactionWithStatusMeta) -> list[Pubkey]:
    """Every account that a transaction names: its own, then what its lookup tables gave it."""
    decoded = transaction.transaction
    meta = transaction.meta
    if not isinstance(decoded, VersionedTransaction):
        raise TypeError("ask the node for transactions in base64")
    loaded = meta.loaded_addresses if meta is not None else None
    looked_up = [] if loaded is None else [*loaded.writable, *loaded.readonly]
    return [*decoded.message.account_keys, *looked_up]
