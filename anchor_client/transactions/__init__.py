"""From instructions to a confirmed transaction.

`message`       compiles instructions into a legacy, version-0 or version-1 message
`simulation`    what a transaction would do, and what it would use
`fees`          what others paid lately for the same accounts
`confirmation`  waits until a transaction has landed or never will
`details`       logs, fee and events of a landed transaction
`sender`        TransactionSender: all of it
"""

from anchor_client.transactions.confirmation import Landing
from anchor_client.transactions.details import Sent, TransactionDetails, read_details
from anchor_client.transactions.message import (
    ComputeBudget,
    MessageVersion,
    UnsignedTransaction,
    compile_message,
    transaction_size,
    unsigned,
)
from anchor_client.transactions.sender import Prepared, TransactionSender
from anchor_client.transactions.simulation import FailedSimulation, Simulation, try_simulation

__all__ = [
    "ComputeBudget",
    "FailedSimulation",
    "Landing",
    "MessageVersion",
    "Prepared",
    "Sent",
    "Simulation",
    "TransactionDetails",
    "TransactionSender",
    "UnsignedTransaction",
    "compile_message",
    "read_details",
    "transaction_size",
    "try_simulation",
    "unsigned",
]
