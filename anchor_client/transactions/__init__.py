"""From instructions to a confirmed transaction.

`message`       compiles instructions into a legacy, version-0 or version-1 message
`simulation`    what a transaction would do, and what it would use
`fees`          what others paid lately for the same accounts
`confirmation`  waits until a transaction has landed or never will
`details`       logs, fee and events of a landed transaction
`sender`        TransactionSender: all of it
"""

from anchor_client.transactions.details import Sent, TransactionDetails
from anchor_client.transactions.message import (
    ComputeBudget,
    MessageVersion,
    UnsignedTransaction,
    compile_message,
    unsigned,
)
from anchor_client.transactions.sender import Prepared, TransactionSender
from anchor_client.transactions.simulation import Simulation, try_simulation

__all__ = [
    "ComputeBudget",
    "MessageVersion",
    "Prepared",
    "Sent",
    "Simulation",
    "TransactionDetails",
    "TransactionSender",
    "UnsignedTransaction",
    "compile_message",
    "try_simulation",
    "unsigned",
]
