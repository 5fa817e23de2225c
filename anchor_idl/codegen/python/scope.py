"""The accounts of one instruction, flattened, and what their names mean to each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import (
    AccountGroup,
    AccountItem,
    AccountSeed,
    Defined,
    Idl,
    InstructionDefinition,
    StructBody,
    Type,
)
from anchor_idl.codegen.python.layouts import resolve
from anchor_idl.codegen.python.names import parameter_name, pascal


@dataclass(frozen=True, slots=True)
class FlatAccount:
    """One account: its name with the groups it is in, and the name of its parameter."""

    path: tuple[str, ...]
    item: AccountItem
    parameter: str

    @property
    def name(self) -> str:
        """The name in tables: groups and account, joined by underscores."""
        return "_".join(self.path)


class InstructionScope:
    """Looks up accounts, arguments and account data types as the seeds of one instruction name them."""

    def __init__(self, idl: Idl, instruction: InstructionDefinition) -> None:
        self.idl = idl
        self.instruction = instruction
        self.args: Mapping[str, str] = {arg.name: parameter_name(arg.name) for arg in instruction.args}
        self.accounts = tuple(self._flatten(instruction.accounts, ()))
        self.check_parameters()

    def account(self, name: str, near: FlatAccount) -> FlatAccount:
        """The account that `near` calls `name`: a sibling of its own group, else one of a group around it."""
        for depth in range(len(near.path) - 1, -1, -1):
            wanted = (*near.path[:depth], *name.split("."))
            for account in self.accounts:
                if account.path == wanted:
                    return account
        raise UnsupportedIdl(f"{self.instruction.name}.{near.name} names the account {name}, which is not there")

    def argument_type(self, path: tuple[str, ...]) -> Type:
        """The type of an argument or of a field of one."""
        for arg in self.instruction.args:
            if arg.name == path[0]:
                return field_type(self.idl, arg.type, path[1:])
        raise UnsupportedIdl(f"{self.instruction.name}: a seed names the argument {path[0]}, which is not there")

    def data_type(self, account: FlatAccount) -> str | None:
        """The account type of an account's data, if the IDL shows it: by a seed that names it, else by its own name."""
        for other in self.accounts:
            for seed in other.item.pda.seeds if other.item.pda else ():
                if isinstance(seed, AccountSeed) and seed.account and self.account(seed.path[0], other) == account:
                    return seed.account if seed.account in self.idl.account_names() else None
        name = pascal(account.item.name)
        return name if name in self.idl.account_names() else None

    def _flatten(self, items: tuple[AccountItem | AccountGroup, ...], path: tuple[str, ...]) -> Iterator[FlatAccount]:
        for item in items:
            if isinstance(item, AccountGroup):
                yield from self._flatten(item.items, (*path, item.name))
            else:
                full = (*path, item.name)
                name = "_".join(full)
                taken = parameter_name(name) in self.args.values()
                yield FlatAccount(full, item, parameter_name(f"{name}_account" if taken else name))

    def check_parameters(self, others: Iterable[str] = ()) -> None:
        """UnsupportedIdl if two parameters of the builder, `others` included, would have the same name."""
        names = [*self.args.values(), *(account.parameter for account in self.accounts), *others]
        for name in names:
            if names.count(name) > 1:
                raise UnsupportedIdl(f"{self.instruction.name} has two parameters named {name}")


def field_type(idl: Idl, type_: Type, path: tuple[str, ...]) -> Type:
    """The type of a nested field."""
    resolved = resolve(idl, type_)
    if not path:
        return resolved
    body = idl.types[resolved.name].body if isinstance(resolved, Defined) else None
    for field in body.fields if isinstance(body, StructBody) else ():
        if field.name == path[0]:
            return field_type(idl, field.type, path[1:])
    raise UnsupportedIdl(f"a seed names the field {'.'.join(path)}, which is not there")
