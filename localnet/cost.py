"""The cost of a transaction by a validator's cost model: `costUnits` in its meta."""

from solders.message import Message, MessageV0, MessageV1

from localnet.message_keys import MessageKeys

SIGNATURE_COST = 720
WRITE_LOCK_UNITS = 300
INSTRUCTION_BYTES_PER_UNIT = 4
LOADED_PAGE_BYTES = 32 * 1024
LOADED_PAGE_UNITS = 8


def cost_units(message: Message | MessageV0 | MessageV1, keys: MessageKeys, units: int, loaded_bytes: int) -> int:
    """Signatures, write locks, instruction data (floor), executed units and loaded pages (ceil)."""
    data = sum(len(instruction.data) for instruction in message.instructions)
    pages = -(-loaded_bytes // LOADED_PAGE_BYTES)
    return (
        keys.signers * SIGNATURE_COST
        + len(keys.writable_indices) * WRITE_LOCK_UNITS
        + data // INSTRUCTION_BYTES_PER_UNIT
        + units
        + pages * LOADED_PAGE_UNITS
    )
