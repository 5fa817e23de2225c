"""Writes instructions/: one builder a file, and the table that takes instructions apart."""

from __future__ import annotations

from anchor_idl.codegen.idl import Idl
from anchor_idl.codegen.python.addresses import AddressNames
from anchor_idl.codegen.python.data import Files
from anchor_idl.codegen.python.definitions import type_imports
from anchor_idl.codegen.python.layouts import annotation, layout
from anchor_idl.codegen.python.names import class_name, module_name
from anchor_idl.codegen.python.pdas import PdaFunctions
from anchor_idl.codegen.python.resolution import Resolution, resolution_order, resolutions
from anchor_idl.codegen.python.scope import FlatAccount, InstructionScope
from anchor_idl.codegen.python.seeds import data_parameter
from anchor_idl.codegen.python.text import bytes_literal, docstring, lazy_names, module, place_table, tuple_literal

_IMPORTS = """\
from collections.abc import Sequence
from typing import Final

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.errors import MissingAccount
from anchor_idl.runtime.instructions import InstructionSpec, optional_meta
from anchor_idl.runtime.layouts import Fields
"""

_TABLE = '''
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.errors import UnknownInstruction
from anchor_idl.runtime.lazy import LazyTable, importer

from ..program import PROGRAM_ID

if TYPE_CHECKING:
    from anchor_idl.runtime.instructions import DecodedInstruction, InstructionSpec

INSTRUCTIONS: Final[Mapping[bytes, InstructionSpec]] = LazyTable(__name__, {specs})


def decode_instruction(instruction: Instruction, program_id: Pubkey = PROGRAM_ID) -> DecodedInstruction:
    """Takes an instruction apart.

    Raises UnknownInstruction if it is another program's or has no known discriminator, MissingAccount if it has too
    few accounts, LayoutTooShort or InvalidValue if its arguments cannot be read.
    """
    if instruction.program_id != program_id:
        raise UnknownInstruction(f"the instruction is one of {{instruction.program_id}}, not of {{program_id}}")
    data = bytes(instruction.data)
    spec = entry_for(INSTRUCTIONS, data)
    if spec is None:
        raise UnknownInstruction(f"no instruction starts with {{data[:8].hex() or 'nothing'}}")
    return spec.of(instruction)
'''


def instruction_files(
    idl: Idl, scopes: list[InstructionScope], functions: PdaFunctions, addresses: AddressNames
) -> Files:
    """instructions/."""
    named = [(_file_name(scope), module_name(scope.instruction.name)) for scope in scopes]
    files = {
        f"instructions/{file}.py": _source(idl, scope, functions, addresses)
        for (file, _), scope in zip(named, scopes, strict=True)
    }
    specs = place_table((scope.instruction.discriminator, (_file_name(scope), "SPEC")) for scope in scopes)
    table = module(_TABLE.format(specs=specs), lazy_names(named, repr(named)))
    return files | {"instructions/__init__.py": table}


def _file_name(scope: InstructionScope) -> str:
    """Not that of the builder in it: an imported module would take the builder's place in the package."""
    return f"_{module_name(scope.instruction.name)}"


def _source(idl: Idl, scope: InstructionScope, functions: PdaFunctions, addresses: AddressNames) -> str:
    found = resolutions(scope, functions, addresses)
    data_accounts = _data_accounts(scope, found)
    scope.check_parameters(map(data_parameter, data_accounts))
    data_classes = sorted({kind for account in data_accounts if (kind := scope.data_type(account))})
    imports = [
        f"from ..program import {', '.join(addresses.all())}",
        *(f"from ..accounts.{module_name(name)} import {class_name(name)}" for name in data_classes),
        *(f"from ..pdas import {name}" for name in sorted({f for r in found.values() for f in r.functions})),
        type_imports(idl, [arg.type for arg in scope.instruction.args], "..types."),
    ]
    body = [_resolve_source(scope, found[account]) for account in resolution_order(scope, found)]
    return module(
        _IMPORTS,
        "\n".join(imports),
        _spec_source(idl, scope),
        "\n",
        _signature(idl, scope, found, data_accounts),
        _docs(scope),
        "".join(body),
        _return_source(scope),
    )


def _spec_source(idl: Idl, scope: InstructionScope) -> str:
    instruction = scope.instruction
    args = ", ".join(f"{scope.args[arg.name]}={layout(idl, arg.type)}" for arg in instruction.args)
    optional = sorted(account.parameter for account in scope.accounts if account.item.optional)
    return (
        f"SPEC: Final = InstructionSpec(name={instruction.name!r}, "
        f"discriminator={bytes_literal(instruction.discriminator)}, args=Fields({args}), "
        f"accounts={tuple_literal(repr(account.parameter) for account in scope.accounts)}"
        + (f", optional=frozenset({optional!r})" if optional else "")
        + ")\n"
    )


def _signature(
    idl: Idl, scope: InstructionScope, found: dict[FlatAccount, Resolution], data_accounts: list[FlatAccount]
) -> str:
    parameters = [
        f"{scope.args[arg.name]}: {annotation(idl, arg.type, sequences='Sequence')}" for arg in scope.instruction.args
    ]
    for account in scope.accounts:
        needed = not account.item.optional and not found[account].alternatives
        parameters.append(f"{account.parameter}: Pubkey" + ("" if needed else " | None = None"))
    parameters += [
        f"{data_parameter(account)}: {class_name(scope.data_type(account) or '')} | None = None"
        for account in data_accounts
    ]
    parameters += ["remaining_accounts: Sequence[AccountMeta] = ()", "program_id: Pubkey = PROGRAM_ID"]
    return f"def {module_name(scope.instruction.name)}(*, {', '.join(parameters)}) -> Instruction:\n"


def _docs(scope: InstructionScope) -> str:
    lines = list(scope.instruction.docs) or [f"{scope.instruction.name}."]
    explained = {a.parameter: [line for line in a.item.docs if not line.startswith("CHECK:")] for a in scope.accounts}
    described = [f"{parameter}: {' '.join(docs)}" for parameter, docs in explained.items() if docs]
    return docstring([*lines, *(["", *described] if described else [])])


def _resolve_source(scope: InstructionScope, resolution: Resolution) -> str:
    account = resolution.account
    lines = []
    for alternative in resolution.alternatives:
        conditions = [f"{account.parameter} is None", *(f"{name} is not None" for name in alternative.needs)]
        lines.append(f"    if {' and '.join(conditions)}:\n        {account.parameter} = {alternative.expression}\n")
    if resolution.alternatives and all(alternative.needs for alternative in resolution.alternatives):
        ways = [" and ".join(alternative.needs) for alternative in resolution.alternatives]
        remedy = f"pass {account.parameter}, or {', or '.join(ways)} to derive it from"
        lines.append(
            f"    if {account.parameter} is None:\n"
            f"        raise MissingAccount({scope.instruction.name!r}, {account.parameter!r}, {remedy!r})\n"
        )
    return "".join(lines)


def _return_source(scope: InstructionScope) -> str:
    metas = []
    for account in scope.accounts:
        flags = f"is_signer={account.item.signer}, is_writable={account.item.writable}"
        if account.item.optional:
            metas.append(f"optional_meta({account.parameter}, program_id, {flags})")
        else:
            metas.append(f"AccountMeta({account.parameter}, {flags})")
    args = ", ".join(f"{name!r}: {name}" for name in scope.args.values())
    accounts = "".join(f"{meta}, " for meta in metas)
    return f"    return Instruction(program_id, SPEC.encode({{{args}}}), [{accounts}*remaining_accounts])\n"


def _data_accounts(scope: InstructionScope, found: dict[FlatAccount, Resolution]) -> list[FlatAccount]:
    needed = {name for r in found.values() for alternative in r.alternatives for name in alternative.needs}
    return [account for account in scope.accounts if data_parameter(account) in needed]
