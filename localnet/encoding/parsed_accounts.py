"""jsonParsed account data of the programs validators know: token, nonce, lookup table, loader, sysvars."""

import base64
import struct

import solders.token.state as token_state
from solders.account import Account
from solders.address_lookup_table_account import ID as LOOKUP_TABLE_PROGRAM
from solders.address_lookup_table_account import AddressLookupTable
from solders.clock import Clock
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.token import ID as TOKEN_PROGRAM

from anchor_client.service.optional import optional
from localnet.encoding.tokens import ACCOUNT_SIZE, Accounts, mint, token_account, ui_token_amount
from localnet.loader import BPF_LOADER_UPGRADEABLE
from localnet.records import Json

NONCE_STATE = struct.Struct("<II32s32sQ")
SYSVAR_OWNER = Pubkey.from_string("Sysvar1111111111111111111111111111111111111")
CLOCK_SIZE = 40
RENT_SIZE = 17
STATES = {"Uninitialized": "uninitialized", "Initialized": "initialized", "Frozen": "frozen"}
NATIVE_DECIMALS = 9


def parse_account(account: Account, read: Accounts) -> dict[str, Json] | None:
    """Program, type and fields of an account; None when it is of no known kind."""
    parsed = _token(account, read) or _nonce(account) or _lookup_table(account) or _program(account) or _sysvar(account)
    if parsed is None:
        return None
    program, kind, info = parsed
    return {"program": program, "parsed": {"type": kind, "info": info}, "space": len(account.data)}


Parsed = tuple[str, str, Json]


def _token(account: Account, read: Accounts) -> Parsed | None:
    program = "spl-token" if account.owner == TOKEN_PROGRAM else "spl-token-2022"
    extensions: dict[str, Json] = {}
    if len(account.data) > ACCOUNT_SIZE:
        extensions = {"extensions": [{"extension": "unparseableExtension"} for _ in _extensions(account.data)]}
    minted = mint(account)
    if minted is not None:
        return program, "mint", _mint_info(minted) | extensions
    state = token_account(account)
    if state is None:
        return None
    own_mint = mint(read(state.mint))
    if state.is_native is not None:
        decimals = NATIVE_DECIMALS
    elif own_mint:
        decimals = own_mint.decimals
    else:
        decimals = None
    if decimals is None:
        return None
    return (program, "account", _token_account_info(state, decimals) | extensions)


def _mint_info(minted: token_state.Mint) -> dict[str, Json]:
    return {
        "mintAuthority": _optional(minted.mint_authority),
        "supply": str(minted.supply),
        "decimals": minted.decimals,
        "isInitialized": minted.is_initialized,
        "freezeAuthority": _optional(minted.freeze_authority),
    }


def _token_account_info(state: token_state.TokenAccount, decimals: int) -> dict[str, Json]:
    info: dict[str, Json] = {
        "mint": str(state.mint),
        "owner": str(state.owner),
        "tokenAmount": ui_token_amount(state.amount, decimals),
        "state": STATES[str(state.state).rpartition(".")[2]],
        "isNative": state.is_native is not None,
    }
    if state.delegate is not None:
        info |= {"delegate": str(state.delegate), "delegatedAmount": ui_token_amount(state.delegated_amount, decimals)}
    if state.is_native is not None:
        info["rentExemptReserve"] = ui_token_amount(state.is_native, decimals)
    if state.close_authority is not None:
        info["closeAuthority"] = str(state.close_authority)
    return info


def _nonce(account: Account) -> Parsed | None:
    if account.owner != SYSTEM_PROGRAM or len(account.data) != NONCE_STATE.size:
        return None
    _, state, authority, value, lamports_per_signature = NONCE_STATE.unpack(account.data)
    if state == 0:
        return "nonce", "uninitialized", None
    info = {
        "authority": str(Pubkey(authority)),
        "blockhash": str(Pubkey(value)),
        "feeCalculator": {"lamportsPerSignature": str(lamports_per_signature)},
    }
    return "nonce", "initialized", info


def _lookup_table(account: Account) -> Parsed | None:
    if account.owner != LOOKUP_TABLE_PROGRAM or account.data[:4] != b"\1\0\0\0":
        return None
    table = AddressLookupTable.deserialize(account.data)
    info: dict[str, Json] = {
        "deactivationSlot": str(table.meta.deactivation_slot),
        "lastExtendedSlot": str(table.meta.last_extended_slot),
        "lastExtendedSlotStartIndex": table.meta.last_extended_slot_start_index,
        "addresses": [str(address) for address in table.addresses],
    }
    if table.meta.authority is not None:
        info["authority"] = str(table.meta.authority)
    return "address-lookup-table", "lookupTable", info


def _program(account: Account) -> Parsed | None:
    if account.owner != BPF_LOADER_UPGRADEABLE or len(account.data) < 4:
        return None
    (tag,) = struct.unpack_from("<I", account.data)
    if tag == 2:
        return "bpf-upgradeable-loader", "program", {"programData": str(Pubkey(account.data[4:36]))}
    if tag == 3:
        authority = str(Pubkey(account.data[13:45])) if account.data[12] else None
        code = base64.b64encode(account.data[45:]).decode()
        slot = int.from_bytes(account.data[4:12], "little")
        info = {"slot": slot, "authority": authority, "data": [code, "base64"]}
        return "bpf-upgradeable-loader", "programData", info
    return None


def _sysvar(account: Account) -> Parsed | None:
    if account.owner != SYSVAR_OWNER:
        return None
    if len(account.data) == RENT_SIZE:
        return "sysvar", "rent", {"lamportsPerByte": str(int.from_bytes(account.data[:8], "little"))}
    if len(account.data) != CLOCK_SIZE:
        return None
    clock = Clock.from_bytes(account.data)
    info = {
        "slot": clock.slot,
        "epoch": clock.epoch,
        "epochStartTimestamp": clock.epoch_start_timestamp,
        "leaderScheduleEpoch": clock.leader_schedule_epoch,
        "unixTimestamp": clock.unix_timestamp,
    }
    return "sysvar", "clock", info


def _optional(address: Pubkey | None) -> str | None:
    return optional(str, address)


def _extensions(data: bytes) -> list[int]:
    kinds = []
    position = ACCOUNT_SIZE + 1
    while position + 4 <= len(data):
        kind, length = struct.unpack_from("<HH", data, position)
        if kind == 0:
            break
        kinds.append(kind)
        position += 4 + length
    return kinds
