"""Writes program.py: the program's own address and those of the other accounts that never change."""

from __future__ import annotations

from collections.abc import Sequence

from solders.pubkey import Pubkey

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import Idl
from anchor_idl.codegen.python.names import constant_name
from anchor_idl.codegen.python.scope import InstructionScope
from anchor_idl.codegen.python.text import module

OWN = "PROGRAM_ID"


class AddressNames:
    """The constants of program.py, named after the accounts that have these addresses."""

    def __init__(self, idl: Idl, scopes: Sequence[InstructionScope]) -> None:
        self._own = idl.address
        self._names: dict[str, str] = {}
        found = {
            (constant_name(account.item.name), account.item.address)
            for scope in scopes
            for account in scope.accounts
            if account.item.address is not None and "." not in account.item.address
        }
        for name, address in sorted(found):
            if address != self._own and address not in self._names:
                taken = name == OWN or name in self._names.values()
                self._names[address] = f"{name}_{address[:4].upper()}" if taken else name

    def expression(self, address: str) -> str:
        """The constant that holds an address; inside a builder the program's own is a parameter."""
        return "program_id" if address == self._own else self._names[address]

    def all(self) -> list[str]:
        """The names of all constants."""
        return [OWN, *sorted(self._names.values())]

    def source(self) -> str:
        """The module."""
        lines = [f"{name}: Final = {_parsed(address)}" for address, name in self._names.items()]
        imports = "from typing import Final\n\nfrom solders.pubkey import Pubkey\n"
        return module(imports, f"{OWN}: Final = {_parsed(self._own)}", *sorted(lines), "")


def _parsed(address: str) -> str:
    try:
        Pubkey.from_string(address)
    except ValueError as error:
        raise UnsupportedIdl(f"{address!r} is not an address") from error
    return f'Pubkey.from_string("{address}")'
