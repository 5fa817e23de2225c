"""From instructions to a confirmed transaction.

`message`       compiles instructions into a legacy, version-0 or version-1 message
`simulation`    what a transaction would do, and what it would use
`fees`          what others paid lately for the same accounts
`confirmation`  waits until a transaction has landed or never will
`movements`     what a simulated transaction would move, to the base unit
`details`       logs, fee and events of a landed transaction
`sender`        TransactionSender: all of it
"""

from typing import TYPE_CHECKING

from anchor_idl.runtime.lazy import importer

if TYPE_CHECKING:
    from anchor_client.solana.transactions.details import Sent as Sent
    from anchor_client.solana.transactions.details import TransactionDetails as TransactionDetails
    from anchor_client.solana.transactions.details import read_details as read_details
    from anchor_client.solana.transactions.message import ComputeBudget as ComputeBudget
    from anchor_client.solana.transactions.message import MessageVersion as MessageVersion
    from anchor_client.solana.transactions.message import UnsignedTransaction as UnsignedTransaction
    from anchor_client.solana.transactions.message import compile_message as compile_message
    from anchor_client.solana.transactions.message import unsigned as unsigned
    from anchor_client.solana.transactions.movements import Movement as Movement
    from anchor_client.solana.transactions.sender import Prepared as Prepared
    from anchor_client.solana.transactions.sender import TransactionSender as TransactionSender
    from anchor_client.solana.transactions.simulation import Simulation as Simulation
    from anchor_client.solana.transactions.simulation import try_simulation as try_simulation
else:
    _PLACES = {
        "details": ["Sent", "TransactionDetails", "read_details"],
        "message": ["ComputeBudget", "MessageVersion", "UnsignedTransaction", "compile_message", "unsigned"],
        "movements": ["Movement"],
        "sender": ["Prepared", "TransactionSender"],
        "simulation": ["Simulation", "try_simulation"],
    }
    __getattr__ = importer(__name__, ((module, name) for module, names in _PLACES.items() for name in names))
