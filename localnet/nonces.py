"""Durable nonces: the other way for a transaction to be recent."""

from solders.account import Account
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.transaction import VersionedTransaction

ADVANCE_NONCE_ACCOUNT = (4).to_bytes(4, "little")
NONCE_SIZE = 80
VALUE = slice(40, 72)


def nonce_address(transaction: VersionedTransaction) -> Pubkey | None:
    """The nonce account a transaction advances with its first instruction, if it does."""
    message = transaction.message
    if not message.instructions:
        return None
    first = message.instructions[0]
    keys = message.account_keys
    advances = keys[first.program_id_index] == SYSTEM_PROGRAM and first.data[:4] == ADVANCE_NONCE_ACCOUNT
    if not advances or not first.accounts or first.accounts[0] >= len(keys):
        return None
    return keys[first.accounts[0]]


def holds_nonce(account: Account | None, transaction: VersionedTransaction) -> bool:
    """True for a nonce account whose value the transaction names as its blockhash."""
    if account is None or account.owner != SYSTEM_PROGRAM or len(account.data) != NONCE_SIZE:
        return False
    return account.data[VALUE] == bytes(transaction.message.recent_blockhash)


def advanced(account: Account, value: bytes) -> Account:
    """The nonce account holding its next value."""
    data = account.data[: VALUE.start] + value + account.data[VALUE.stop :]
    return Account(account.lamports, data, account.owner, account.executable, account.rent_epoch)
