"""What the generator refuses; all derive from CodegenError and say what to change."""


class CodegenError(Exception):
    """The generator cannot go on."""


class UnsupportedIdl(CodegenError):
    """The IDL is malformed or uses something that has no Python form here."""


class ExtractFailed(CodegenError):
    """Cargo did not print an IDL."""


class RuleError(CodegenError):
    """A rule of the address file matches nothing, or says something else than the program."""


class UnknownName(RuleError):
    """A rule names a value that is not in the instruction it is tried for."""


class LegacyMismatch(CodegenError):
    """Something of the IDL has no equal in the pre-0.30 form."""
