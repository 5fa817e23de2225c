"""Transaction results as getTransaction's meta."""

import base64
import json

from solders.pubkey import Pubkey
from solders.transaction_metadata import FailedTransactionMetadata, InnerInstruction, TransactionMetadata

from anchor_idl import base58
from localnet.records import Json


def error_json(result: FailedTransactionMetadata) -> Json:
    """A TransactionError as validators serialise it, e.g. {"InstructionError": [0, {"Custom": 6001}]}."""
    return json.loads(result.to_json())["err"]


def inner_instructions_json(meta: TransactionMetadata) -> list[dict[str, Json]]:
    """Inner instructions by outer index; outer instructions without any are left out."""
    return [
        {"index": index, "instructions": [_inner_instruction(instruction) for instruction in instructions]}
        for index, instructions in enumerate(meta.inner_instructions())
        if instructions
    ]


def return_data_json(meta: TransactionMetadata) -> dict[str, Json] | None:
    """Return data and who set it; None when it is empty."""
    returned = meta.return_data()
    data = returned.data
    if not data:
        return None
    program = returned.program_id
    return {"programId": str(program), "data": [base64.b64encode(data).decode(), "base64"]}


def loaded_addresses_json(writable: list[Pubkey], readonly: list[Pubkey]) -> dict[str, list[str]]:
    """Addresses loaded from lookup tables."""
    return {"writable": [str(key) for key in writable], "readonly": [str(key) for key in readonly]}


def _inner_instruction(inner: InnerInstruction) -> dict[str, Json]:
    instruction = inner.instruction()
    return {
        "programIdIndex": instruction.program_id_index,
        "accounts": list(instruction.accounts),
        "data": base58.encode(instruction.data),
        "stackHeight": inner.stack_height(),
    }
