"""Instruction parsers by program: each turns data and account addresses into type and info, or None."""

from collections.abc import Callable, Sequence

from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.token import ID as TOKEN_PROGRAM

from localnet.encoding.instructions.associated_token import parse_associated_token
from localnet.encoding.instructions.memo import parse_memo
from localnet.encoding.instructions.system import parse_system
from localnet.encoding.instructions.token import parse_token
from localnet.encoding.tokens import TOKEN_2022_PROGRAM
from localnet.records import Json

Parser = Callable[[bytes, Sequence[str]], Json]

PARSERS: dict[Pubkey, tuple[str, Parser]] = {
    SYSTEM_PROGRAM: ("system", parse_system),
    TOKEN_PROGRAM: ("spl-token", parse_token),
    TOKEN_2022_PROGRAM: ("spl-token-2022", parse_token),
    Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"): (
        "spl-associated-token-account",
        parse_associated_token,
    ),
    Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"): ("spl-memo", parse_memo),
    Pubkey.from_string("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"): ("spl-memo", parse_memo),
}
