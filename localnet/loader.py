"""The accounts of a program under the upgradeable BPF loader."""

import struct
from collections.abc import Callable

from solders.account import Account
from solders.pubkey import Pubkey

BPF_LOADER_UPGRADEABLE = Pubkey.from_string("BPFLoaderUpgradeab1e11111111111111111111111")
PROGRAM_STATE = struct.Struct("<I32s")
PROGRAM_DATA_STATE = struct.Struct("<IQB32s")
PROGRAM_TAG = 2
PROGRAM_DATA_TAG = 3


def program_data_address(program: Pubkey) -> Pubkey:
    """Address of the account in which the loader keeps a program's code."""
    return Pubkey.find_program_address([bytes(program)], BPF_LOADER_UPGRADEABLE)[0]


def program_accounts(
    program: Pubkey, elf: bytes, authority: Pubkey | None, slot: int, minimum_balance: Callable[[int], int]
) -> list[tuple[Pubkey, Account]]:
    """The code account and then the program account, rent-exempt; no authority makes it immutable."""
    address = program_data_address(program)
    key = bytes(authority or Pubkey.default())
    code = PROGRAM_DATA_STATE.pack(PROGRAM_DATA_TAG, max(0, slot - 1), authority is not None, key) + elf
    link = PROGRAM_STATE.pack(PROGRAM_TAG, bytes(address))
    return [
        (address, Account(minimum_balance(len(code)), code, BPF_LOADER_UPGRADEABLE)),
        (program, Account(minimum_balance(len(link)), link, BPF_LOADER_UPGRADEABLE, executable=True)),
    ]
