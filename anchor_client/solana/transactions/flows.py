"""Token and lamport transfers that instructions make, read from the instructions themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from solders.pubkey import Pubkey
from solders.transaction_status import ParsedInstruction, UiPartiallyDecodedInstruction

from anchor_client.solana.program_ids import TOKEN_PROGRAM
from anchor_idl import base58

_TRANSFER = 3
_BURN = 8
_CLOSE = 9
_TRANSFER_CHECKED = 12
_BURN_CHECKED = 15
_UNWRAP = 45
_BATCH = 255
_AMOUNT: Final = slice(1, 9)


@dataclass(frozen=True, slots=True)
class Flow:
    """A transfer between accounts, in base units of tokens, or lamports where `in_lamports`; a burn has no target.

    `number` is that of the transaction's own instruction that caused it; -1 where none is known.
    """

    number: int
    source: Pubkey
    target: Pubkey | None
    amount: int
    in_lamports: bool = False


@dataclass(frozen=True, slots=True)
class Closing:
    """A token account that is closed, and who gets its lamports."""

    account: Pubkey
    target: Pubkey


def flows_of_call(
    number: int, instruction: ParsedInstruction | UiPartiallyDecodedInstruction
) -> Iterator[Flow | Closing]:
    """Flows and closings by an inner instruction, as a node reports it."""
    if isinstance(instruction, ParsedInstruction):
        parsed: Any = instruction.parsed
        if isinstance(parsed, dict):
            yield from _parsed(number, parsed)
    elif instruction.program_id == TOKEN_PROGRAM:
        accounts = list(instruction.accounts)
        yield from flows_of_token_call(number, base58.decode(instruction.data), accounts)


def flows_of_token_call(number: int, data: bytes, accounts: Sequence[Pubkey]) -> Iterator[Flow | Closing]:
    """Flows and closings by an instruction of the token program, batches included."""
    tag = data[0] if data else None
    if tag == _BATCH:
        yield from _batch(number, data[1:], accounts)
    elif tag in (_TRANSFER, _TRANSFER_CHECKED):
        target = accounts[1] if tag == _TRANSFER else accounts[2]
        yield Flow(number, accounts[0], target, _amount(data[_AMOUNT]))
    elif tag in (_BURN, _BURN_CHECKED):
        yield Flow(number, accounts[0], None, _amount(data[_AMOUNT]))
    elif tag == _UNWRAP and len(data) > 2:
        # p-token's own instruction: lamports leave a wrapped account without closing it.
        yield Flow(number, accounts[0], accounts[1], _amount(data[2:10]), in_lamports=True)
    elif tag == _CLOSE:
        yield Closing(accounts[0], accounts[1])


def _batch(number: int, data: bytes, accounts: Sequence[Pubkey]) -> Iterator[Flow | Closing]:
    """Each call says how many accounts and bytes are its own."""
    while len(data) >= 2:
        count = data[0]
        size = data[1]
        yield from flows_of_token_call(number, data[2 : 2 + size], accounts[:count])
        data = data[2 + size :]
        accounts = accounts[count:]


def _parsed(number: int, parsed: dict[str, Any]) -> Iterator[Flow | Closing]:
    info = parsed.get("info")
    if not isinstance(info, dict):
        return
    match parsed.get("type"), info:
        case "transfer" | "transferChecked", {"source": source, "destination": target, "lamports": lamports}:
            yield Flow(number, _key(source), _key(target), int(lamports), in_lamports=True)
        case str(kind), {"source": source, "newAccount": target, "lamports": lamports} if kind.startswith("create"):
            yield Flow(number, _key(source), _key(target), int(lamports), in_lamports=True)
        case "transfer" | "transferChecked", {"source": source, "destination": target}:
            yield Flow(number, _key(source), _key(target), _told_amount(info))
        case "burn" | "burnChecked", {"account": source}:
            yield Flow(number, _key(source), None, _told_amount(info))
        case "closeAccount", {"account": account, "destination": target}:
            yield Closing(_key(account), _key(target))


def _told_amount(info: dict[str, Any]) -> int:
    checked = info.get("tokenAmount")
    return int(checked["amount"] if isinstance(checked, dict) else info["amount"])


def _key(text: str) -> Pubkey:
    return Pubkey.from_string(text)


def _amount(data: bytes) -> int:
    return int.from_bytes(data, "little")
