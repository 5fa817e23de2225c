"""jsonParsed instructions: parsed where the program is known, with its accounts spelt out otherwise."""

from collections.abc import Sequence

from solders.pubkey import Pubkey

from anchor_idl import base58
from localnet.encoding.instructions import PARSERS
from localnet.records import Json


def parse_instruction(compiled: dict[str, Json], keys: Sequence[Pubkey]) -> dict[str, Json]:
    """The parsed or partially decoded form of an instruction in its json encoding."""
    program = keys[compiled["programIdIndex"]]
    accounts = [str(keys[index]) for index in compiled["accounts"]]
    known = PARSERS.get(program)
    if known is not None:
        name, parse = known
        parsed = parse(base58.decode(compiled["data"]), accounts)
        if parsed is not None:
            height = compiled["stackHeight"]
            return {"program": name, "programId": str(program), "parsed": parsed, "stackHeight": height}
    return {
        "programId": str(program),
        "accounts": accounts,
        "data": compiled["data"],
        "stackHeight": compiled["stackHeight"],
    }
