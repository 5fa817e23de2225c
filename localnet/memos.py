"""The memo of a transaction as histories show it."""

from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

MEMO_PROGRAMS = frozenset(
    Pubkey.from_string(address)
    for address in (
        "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo",
        "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
    )
)


def memo_of(transaction: VersionedTransaction) -> str | None:
    """Every memo with its length before it, joined by semicolons; None without memos."""
    message = transaction.message
    keys = message.account_keys
    memos = [
        f"[{len(instruction.data)}] {instruction.data.decode(errors='replace')}"
        for instruction in message.instructions
        if instruction.program_id_index < len(keys) and keys[instruction.program_id_index] in MEMO_PROGRAMS
    ]
    return "; ".join(memos) or None
