"""Writes errors.py: one exception for each error code."""

from __future__ import annotations

from anchor_idl.codegen.idl import ErrorDefinition, Idl
from anchor_idl.codegen.python.names import class_name
from anchor_idl.codegen.python.text import docstring, export_list, module, string_literal, tuple_literal

_IMPORTS = """\
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from anchor_idl.runtime.program_errors import FrameworkError, ProgramError, UnknownProgramError, error_for
"""

_TABLE = '''

ERRORS: Final[Mapping[int, type[ProgramError]]] = MappingProxyType(
    {{kind.code: kind for kind in {kinds}}}
)


def from_code(code: int, context: str = "") -> ProgramError:
    """The exception for a custom error code: the program's, Anchor's own, or UnknownProgramError."""
    return error_for(code, ERRORS, context)
'''


def errors_source(idl: Idl) -> str:
    """The module."""
    names = [class_name(error.name) for error in idl.errors]
    exports = [*names, "ERRORS", "FrameworkError", "ProgramError", "UnknownProgramError", "from_code"]
    table = _TABLE.format(kinds=tuple_literal(names))
    return module(_IMPORTS, export_list(exports), *(_error(error) for error in idl.errors), table)


def _error(error: ErrorDefinition) -> str:
    return (
        f"\nclass {class_name(error.name)}(ProgramError):\n{docstring([error.message])}\n"
        f"    code = {error.code}\n    name = {error.name!r}\n    message = {string_literal(error.message)}\n"
    )
