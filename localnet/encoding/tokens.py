"""SPL Token amounts and balances."""

from collections.abc import Callable, Sequence
from decimal import Decimal

import solders.token.state as token_state
from solders.account import Account
from solders.pubkey import Pubkey
from solders.token import ID as TOKEN_PROGRAM

from anchor_client.service.optional import optional
from localnet.records import Json

TOKEN_2022_PROGRAM = Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
TOKEN_PROGRAMS = (TOKEN_PROGRAM, TOKEN_2022_PROGRAM)
MINT_SIZE = 82
ACCOUNT_SIZE = 165
MULTISIG_SIZE = 355
ACCOUNT_TYPE_MINT = 1
ACCOUNT_TYPE_ACCOUNT = 2
STATE_OFFSET = 108
MINT_INITIALIZED_OFFSET = 45

Accounts = Callable[[Pubkey], Account | None]


def token_account(account: Account | None) -> token_state.TokenAccount | None:
    """The token account in an account's data; None when there is no initialised one."""
    data = _initialised(account, ACCOUNT_SIZE, ACCOUNT_TYPE_ACCOUNT, STATE_OFFSET)
    return optional(token_state.TokenAccount.from_bytes, data)


def mint(account: Account | None) -> token_state.Mint | None:
    """The mint in an account's data; None when there is no initialised one."""
    data = _initialised(account, MINT_SIZE, ACCOUNT_TYPE_MINT, MINT_INITIALIZED_OFFSET)
    return optional(token_state.Mint.from_bytes, data)


def _initialised(account: Account | None, size: int, extended_type: int, state_offset: int) -> bytes | None:
    """The first `size` bytes of a token program's account, if its size or its type is the one wanted."""
    if account is None or account.owner not in TOKEN_PROGRAMS:
        return None
    data = account.data
    extended = account.owner == TOKEN_2022_PROGRAM and len(data) > ACCOUNT_SIZE and len(data) != MULTISIG_SIZE
    fits = len(data) == size or (extended and data[ACCOUNT_SIZE] == extended_type)
    return data[:size] if fits and data[state_offset] else None


def ui_token_amount(amount: int, decimals: int) -> dict[str, Json]:
    """A token amount in base units with its decimal forms; the string has no trailing zeros."""
    exact = Decimal(amount).scaleb(-decimals) if decimals else Decimal(amount)
    text = f"{exact:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return {"amount": str(amount), "decimals": decimals, "uiAmount": float(exact), "uiAmountString": text}


def token_balances(keys: Sequence[Pubkey], programs: set[int], account: Accounts) -> list[dict[str, Json]]:
    """pre/postTokenBalances of the token accounts among a transaction's keys."""
    if not any(program in keys for program in TOKEN_PROGRAMS):
        return []
    balances = []
    for index, key in enumerate(keys):
        if index in programs or key in TOKEN_PROGRAMS:
            continue
        held = account(key)
        state = token_account(held)
        if held is None or state is None:
            continue
        minted = mint(account(state.mint))
        if minted is None:
            continue
        balances.append(
            {
                "accountIndex": index,
                "mint": str(state.mint),
                "uiTokenAmount": ui_balance(state.amount, minted.decimals),
                "owner": str(state.owner),
                "programId": str(held.owner),
            }
        )
    return balances


def ui_balance(amount: int, decimals: int) -> dict[str, Json]:
    """A token balance in a transaction's meta, where an amount of zero has no decimal number."""
    value = ui_token_amount(amount, decimals)
    return value if amount else {**value, "uiAmount": None}
