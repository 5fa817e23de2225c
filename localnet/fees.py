"""The fee of a transaction: per signature, plus the priority it offers."""

from solders.transaction import VersionedTransaction

from localnet.compute_limits import PRECOMPILES, compute_limits

LAMPORTS_PER_SIGNATURE = 5_000


def fee_of(transaction: VersionedTransaction) -> int:
    """Lamports the fee payer is charged, the priority part rounded up."""
    return signatures_of(transaction) * LAMPORTS_PER_SIGNATURE + compute_limits(transaction).priority_fee


def signatures_of(transaction: VersionedTransaction) -> int:
    """Number of signatures that are paid for: the transaction's own and those that its precompiles verify."""
    message = transaction.message
    verified = sum(
        instruction.data[0]
        for instruction in message.instructions
        if message.account_keys[instruction.program_id_index] in PRECOMPILES and instruction.data
    )
    return message.header.num_required_signatures + verified
