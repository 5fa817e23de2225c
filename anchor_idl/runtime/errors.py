"""Everything that goes wrong between bytes and values; all derive from IdlError."""

from __future__ import annotations


class IdlError(Exception):
    """Bytes and the IDL do not fit together."""


class DiscriminatorMismatch(IdlError):
    """The data belongs to another type: its first bytes are not the expected discriminator."""

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
    """A value does not fit its type: a number out of range, an unknown tag, a flag that is neither 0 nor 1."""

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
    """No instruction of the program starts with these bytes, or the program is another."""


class MissingAccount(IdlError):
    """An account of an instruction was neither passed nor derivable."""

    def __init__(self, instruction: str, account: str, remedy: str) -> None:
        super().__init__(f"{instruction}: account {account} is unknown; {remedy}")
        self.instruction = instruction
        self.account = account
        self.remedy = remedy
