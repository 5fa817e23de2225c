"""Encoding and decoding errors; all derive from IdlError."""

from __future__ import annotations


class IdlError(Exception):
    """The bytes or values do not match the IDL."""


class DiscriminatorMismatch(IdlError):
    """The data is of another type: it does not start with the expected discriminator."""

    def __init__(self, name: str, expected: bytes, found: bytes) -> None:
        super().__init__(f"{name} starts with {expected.hex()}, the data with {found.hex() or 'nothing'}")
        self.name = name
        self.expected = expected
        self.found = found


class LayoutTooShort(IdlError):
    """The data ends before the layout does."""

    def __init__(self, name: str, length: int) -> None:
        super().__init__(f"{name} needs more than the {length} bytes given")
        self.name = name
        self.length = length


class InvalidValue(IdlError):
    """A value is invalid for its type: a number out of range, an unknown tag, a flag that is neither 0 nor 1."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


class UnknownAccount(IdlError):
    """No account of the program starts with these bytes."""


class UnknownEvent(IdlError):
    """No event of the program starts with these bytes."""


class UndecodableEvent(IdlError):
    """The event is known but its fields cannot be read."""


class UnknownInstruction(IdlError):
    """No instruction of the program starts with these bytes, or they are for another program."""


class MissingAccount(IdlError):
    """A required account was not passed and cannot be derived."""

    def __init__(self, instruction: str, account: str, remedy: str) -> None:
        super().__init__(f"{instruction}: account {account} is unknown; {remedy}")
        self.instruction = instruction
        self.account = account
        self.remedy = remedy
