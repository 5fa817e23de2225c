"""Writes pdas.py: one function for each distinct way an address is derived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import ConstSeed, Idl, Pda, StructBody, Type
from anchor_idl.codegen.python.definitions import type_imports
from anchor_idl.codegen.python.layouts import annotation, resolve
from anchor_idl.codegen.python.names import parameter_name, pascal, snake
from anchor_idl.codegen.python.scope import FlatAccount, InstructionScope
from anchor_idl.codegen.python.seeds import PUBKEY, SeedValue, seed_bytes, seed_value
from anchor_idl.codegen.python.text import bytes_literal, docstring, export_list, module

ASSOCIATED_TOKEN_PROGRAM = bytes(Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"))

_IMPORTS = """\
from solders.pubkey import Pubkey

from anchor_idl.runtime.addresses import find_address

from .program import PROGRAM_ID
"""

Shape = tuple[bytes | Type | None, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """Derivation of one account of one instruction; None as program is the IDL's own."""

    account: FlatAccount
    seeds: tuple[bytes | SeedValue, ...]
    program: bytes | SeedValue | None

    def shape(self, idl: Idl) -> Shape:
        """Key that derivations share if they are the same function."""
        parts = (self.program, *self.seeds)
        return tuple(resolve(idl, part.type) if isinstance(part, SeedValue) else part for part in parts)

    @property
    def values(self) -> tuple[SeedValue, ...]:
        """The values that the derivation needs, in the order of its function's parameters."""
        values = [seed for seed in self.seeds if isinstance(seed, SeedValue)]
        return tuple([*values, self.program] if isinstance(self.program, SeedValue) else values)


def derivation(scope: InstructionScope, account: FlatAccount, pda: Pda) -> Derivation | None:
    """Derivation of an account; None if a seed is in data whose layout the IDL does not give."""
    parts: list[bytes | SeedValue] = []
    for seed in (*pda.seeds, *((pda.program,) if pda.program else ())):
        value = seed.value if isinstance(seed, ConstSeed) else seed_value(scope, account, seed)
        if value is None:
            return None
        parts.append(value)
    program = parts.pop() if pda.program else None
    if program == ASSOCIATED_TOKEN_PROGRAM:
        parts = [_address_value(part) if isinstance(part, bytes) and len(part) == 32 else part for part in parts]
    if program == bytes(Pubkey.from_string(scope.idl.address)):
        program = None
    if isinstance(program, SeedValue) and resolve(scope.idl, program.type) != PUBKEY:
        raise UnsupportedIdl(
            f"{scope.instruction.name}.{account.name}: the program its address is derived from is not an address"
        )
    return Derivation(account, tuple(parts), program)


def _address_value(raw: bytes) -> SeedValue:
    """A constant address as a value, so that associated token accounts of any token program share one function."""
    return SeedValue("token_program", f'Pubkey.from_string("{Pubkey(raw)}")', PUBKEY)


@dataclass(slots=True)
class _Function:
    derivations: list[Derivation] = field(default_factory=list)
    name: str = ""


class PdaFunctions:
    """All address functions of a program."""

    def __init__(self, idl: Idl, scopes: Sequence[InstructionScope]) -> None:
        self._idl = idl
        self._functions: dict[Shape, _Function] = {}
        for scope in scopes:
            for account in scope.accounts:
                found = derivation(scope, account, account.item.pda) if account.item.pda else None
                if found is not None:
                    self._functions.setdefault(found.shape(idl), _Function()).derivations.append(found)
        self._name_functions()

    def call(self, found: Derivation) -> str:
        """The expression of a derived address inside an instruction's function."""
        arguments = [value.expression for value in found.values]
        if found.program is None:
            arguments.append("program_id")
        return f"{self.name(found)}({', '.join(arguments)})[0]"

    def name(self, found: Derivation) -> str:
        """The function of a derivation."""
        return self._functions[found.shape(self._idl)].name

    def source(self) -> str:
        """The module."""
        functions = sorted(self._functions.values(), key=lambda function: function.name)
        types = [value.type for function in functions for value in function.derivations[0].values]
        sources = [self._function_source(function) for function in functions]
        imports = type_imports(self._idl, types, ".types.")
        return module(_IMPORTS, imports, export_list(f.name for f in functions), "\n\n" + "\n\n".join(sources))

    def _name_functions(self) -> None:
        taken: set[str] = set()
        for shape, function in sorted(self._functions.items(), key=lambda entry: _sort_key(entry[1])):
            candidates = self._candidates(shape, function)
            function.name = next(name for name in candidates if name not in taken)
            taken.add(function.name)
            wanted = function.name.removeprefix("find_")
            function.derivations.sort(key=lambda d: (snake(d.account.item.name) != wanted, d.account.name))

    def _candidates(self, shape: Shape, function: _Function) -> list[str]:
        names = Counter(snake(d.account.item.name) for d in function.derivations)
        ordered = sorted(names, key=lambda name: (self._rank(name, shape), -names[name], name))
        if shape[0] == ASSOCIATED_TOKEN_PROGRAM:
            ordered.insert(0, "associated_token")
        numbered = [f"{ordered[0]}_{number}" for number in range(2, len(self._functions) + 2)]
        return [f"find_{name}" for name in (*ordered, *numbered)]

    def _rank(self, name: str, shape: Shape) -> int:
        prefix = next((part for part in shape[1:] if isinstance(part, bytes)), b"")
        if pascal(name) in self._idl.account_names():
            return 0
        return 1 if prefix == name.encode() else 2

    def _parameters(self, function: _Function) -> list[str]:
        """The names of a function's parameters: where one derivation calls a value as the account's own data does, that
        name."""
        found = function.derivations[0]
        if found.program == ASSOCIATED_TOKEN_PROGRAM and len(found.values) == 3:
            return ["owner", "token_program", "mint"]
        own = self._own_fields(function.name.removeprefix("find_"))
        called_alike = zip(*([value.name for value in d.values] for d in function.derivations), strict=True)
        names = [next((name for name in called if name in own), called[0]) for called in called_alike]
        if len(set(names)) < len(names):
            names = [value.expression.replace(".", "_") for value in found.values]
        return [parameter_name(name) for name in names]

    def _own_fields(self, name: str) -> frozenset[str]:
        definition = self._idl.types.get(pascal(name))
        if definition and isinstance(definition.body, StructBody):
            fields = definition.body.fields
        else:
            fields = ()
        return frozenset(field.name for field in fields)

    def _function_source(self, function: _Function) -> str:
        found = function.derivations[0]
        names = self._parameters(function)
        signature = [
            f"{name}: {annotation(self._idl, value.type)}" for name, value in zip(names, found.values, strict=True)
        ]
        remaining = iter(names)
        seeds = [
            bytes_literal(seed) if isinstance(seed, bytes) else seed_bytes(self._idl, seed.type, next(remaining))
            for seed in found.seeds
        ]
        match found.program:
            case None:
                program = "program_id"
                signature.append("program_id: Pubkey = PROGRAM_ID")
            case bytes(raw):
                program = f'Pubkey.from_string("{Pubkey(raw)}")'
            case _:
                program = next(remaining)
        what = function.name.removeprefix("find_").replace("_", " ")
        return (
            f"def {function.name}({', '.join(signature)}) -> tuple[Pubkey, int]:\n"
            f"{docstring([f'The address and bump of {_article(what)} {what}.'])}"
            f"    return find_address({', '.join([program, *seeds])})\n"
        )


def _sort_key(function: _Function) -> list[str]:
    return sorted({snake(d.account.item.name) for d in function.derivations})


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeio" else "a"
