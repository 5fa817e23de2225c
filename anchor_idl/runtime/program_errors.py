"""ProgramError and the codes of Anchor v2's own checks; a program's codes are in its generated errors."""

from __future__ import annotations

from collections.abc import Mapping


class ProgramError(Exception):
    """A custom error code that a program returned.

    `context` says where: an instruction's name, a signature, whatever the raiser knows.
    """

    code: int
    name: str
    message: str

    def __init__(self, context: str = "") -> None:
        text = f"{self.name} ({self.code}): {self.message}"
        super().__init__(f"{context}: {text}" if context else text)
        self.context = context


class UnknownProgramError(ProgramError):
    """A code that neither the program's IDL nor Anchor v2 names."""

    name = "UnknownProgramError"
    message = "no error of the program or of Anchor has this code"

    def __init__(self, code: int, context: str = "") -> None:
        self.code = code
        super().__init__(context)


class FrameworkError(ProgramError):
    """A check of Anchor v2 itself failed."""


def _framework(code: int, name: str, message: str) -> type[FrameworkError]:
    return type(name, (FrameworkError,), {"code": code, "name": name, "message": message, "__doc__": message})


_FRAMEWORK_CODES = (
    (2000, "ConstraintMut", "An account must be writable"),
    (2001, "ConstraintHasOne", "An account is not the one that another account names"),
    (2003, "ConstraintRaw", "A constraint of the accounts is violated"),
    (2005, "ConstraintRentExempt", "An account is not rent exempt"),
    (2007, "ConstraintExecutable", "An account is not executable"),
    (2011, "ConstraintClose", "An account cannot be closed into itself"),
    (2012, "ConstraintAddress", "An account has the wrong address"),
    (2013, "ConstraintZero", "An account that must be empty is not"),
    (2019, "ConstraintSpace", "An account has the wrong size"),
    (2020, "ConstraintAccountIsNone", "An optional account is needed here"),
    (2040, "ConstraintDuplicateMutableAccount", "The same writable account is passed twice"),
    (2500, "RequireViolated", "A required condition does not hold"),
    (2501, "RequireEqViolated", "Two values must be equal"),
    (2502, "RequireKeysEqViolated", "Two addresses must be equal"),
    (2503, "RequireNeqViolated", "Two values must differ"),
    (2504, "RequireKeysNeqViolated", "Two addresses must differ"),
    (2505, "RequireGtViolated", "A value must be greater than another"),
    (2506, "RequireGteViolated", "A value must be greater than or equal to another"),
    (4103, "CapacityOverflow", "A value does not fit the room reserved for it"),
)

FRAMEWORK_ERRORS: Mapping[int, type[FrameworkError]] = {
    code: _framework(code, name, message) for code, name, message in _FRAMEWORK_CODES
}


def error_for(code: int, errors: Mapping[int, type[ProgramError]], context: str = "") -> ProgramError:
    """The exception for `code`: the program's own, Anchor's, or UnknownProgramError."""
    kind = errors.get(code) or FRAMEWORK_ERRORS.get(code)
    return kind(context) if kind is not None else UnknownProgramError(code, context)
