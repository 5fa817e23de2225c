"""The shape of a program's instruction: the names of its accounts, and how its data is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from solders.pubkey import Pubkey

from localnet.encoding.tokens import ui_token_amount
from localnet.records import Json

AUTHORITY_TYPES = ("mintTokens", "freezeAccount", "accountOwner", "closeAccount")
EXTENSION_TYPES = {7: "immutableOwner"}


@dataclass(frozen=True, slots=True)
class Shape:
    """An instruction's type, its accounts in their order, and its fields as name:kind.

    `authority` is the account after them; more accounts behind it are the signers of a multisig.
    """

    kind: str
    accounts: str
    fields: str = ""
    authority: str = ""


class Data:
    """The data of an instruction, read from its start. ValueError when it ends too soon."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, size: int) -> bytes:
        """The next bytes."""
        taken = self._data[:size]
        self._data = self._data[size:]
        if len(taken) < size:
            raise ValueError("the data ends too soon")
        return taken

    def number(self, size: int) -> int:
        """The next bytes as an unsigned number."""
        return int.from_bytes(self.take(size), "little")

    def field(self, kind: str) -> Json:
        """The next field."""
        match kind:
            case "u8":
                return self.number(1)
            case "u64":
                return self.number(8)
            case "amount":
                return str(self.number(8))
            case "checkedAmount":
                return ui_token_amount(self.number(8), self.number(1))
            case "pubkey":
                return str(Pubkey(self.take(32)))
            case "option" | "given":
                return self.field("pubkey") if self.number(1) else None
            case "string":
                return self.take(self.number(8)).decode(errors="replace")
            case "authorityType":
                return AUTHORITY_TYPES[self.number(1)]
            case _:
                kinds = [self.number(2) for _ in range(len(self._data) // 2)]
                return [EXTENSION_TYPES.get(number, str(number)) for number in kinds] or None


def parse_shaped(shapes: Mapping[int, Shape], tag_size: int, data: bytes, accounts: Sequence[str]) -> Json:
    """Type and info of an instruction whose data starts with a tag; None for a malformed or unknown one."""
    read = Data(data)
    try:
        shape = shapes[read.number(tag_size)]
        names = shape.accounts.split()
        info: dict[str, Json] = {name: accounts[index] for index, name in enumerate(names)}
        for field in shape.fields.split():
            name, _, kind = field.partition(":")
            value = read.field(kind)
            if value is not None or kind == "option":
                info[name] = value
        if shape.authority:
            info |= _authority(shape.authority, accounts[len(names) :])
    except (LookupError, ValueError):
        return None
    return {"type": shape.kind, "info": info}


def _authority(name: str, accounts: Sequence[str]) -> dict[str, Json]:
    first, *signers = accounts
    if signers:
        return {f"multisig{name[0].upper()}{name[1:]}": first, "signers": signers}
    return {name: first}
