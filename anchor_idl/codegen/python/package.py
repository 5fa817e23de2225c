"""Puts the generated package together."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import EnumBody, Idl, TypeDefinition
from anchor_idl.codegen.python.addresses import AddressNames
from anchor_idl.codegen.python.constants import constants_source
from anchor_idl.codegen.python.data import Files, account_files, event_files, type_files
from anchor_idl.codegen.python.definitions import type_exports
from anchor_idl.codegen.python.errors import errors_source
from anchor_idl.codegen.python.formatting import format_folder
from anchor_idl.codegen.python.instructions import instruction_files
from anchor_idl.codegen.python.names import class_name, constant_name, module_name, parameter_name
from anchor_idl.codegen.python.pdas import PdaFunctions
from anchor_idl.codegen.python.scope import InstructionScope
from anchor_idl.codegen.python.text import HEADER


def package_files(idl: Idl) -> Files:
    """Every file of the package by its path, formatted."""
    _check_names(idl)
    scopes = [InstructionScope(idl, instruction) for instruction in idl.instructions]
    addresses = AddressNames(idl, scopes)
    functions = PdaFunctions(idl, scopes)
    return _formatted(
        {
            "__init__.py": f"{HEADER}\n",
            "program.py": addresses.source(),
            "constants.py": constants_source(idl),
            "errors.py": errors_source(idl),
            "pdas.py": functions.source(),
            **type_files(idl),
            **account_files(idl),
            **event_files(idl),
            **instruction_files(idl, scopes, functions, addresses),
        }
    )


def _formatted(files: Files) -> Files:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, source in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(source)
        format_folder(root)
        return {path: (root / path).read_text() for path in files}


def _check_variants(definition: TypeDefinition) -> None:
    """Constants and classes are made of a variant's name, so two must differ by more than case."""
    if not isinstance(definition.body, EnumBody):
        return
    seen: dict[str, str] = {}
    for variant in definition.body.variants:
        key = constant_name(variant.name)
        if key in seen:
            same = f"{seen[key]} and {variant.name}"
            raise UnsupportedIdl(f"the variants {same} of {definition.name} have the same name in Python")
        seen[key] = variant.name


def _check_names(idl: Idl) -> None:
    groups = {
        "types": [name for definition in idl.types.values() for name in type_exports(definition)],
        "type files": [module_name(name) for name in idl.types],
        "instructions": [module_name(instruction.name) for instruction in idl.instructions],
        "errors": [class_name(error.name) for error in idl.errors],
    }
    for instruction in idl.instructions:
        groups[f"arguments of {instruction.name}"] = [parameter_name(arg.name) for arg in instruction.args]
    for definition in idl.types.values():
        _check_variants(definition)
    for kinds, names in groups.items():
        for name, count in Counter(names).items():
            if count > 1:
                raise UnsupportedIdl(f"two {kinds} are named {name} in Python")
