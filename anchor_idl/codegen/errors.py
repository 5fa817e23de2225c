"""The generator's errors; all derive from CodegenError and say what to change."""


class CodegenError(Exception):
    """The generator cannot continue."""


class UnsupportedIdl(CodegenError):
    """The IDL is malformed or uses a feature that is not supported."""


class ExtractFailed(CodegenError):
    """Cargo did not print an IDL."""


class RuleError(CodegenError):
    """An address rule matches nothing or contradicts the program."""


class UnknownName(RuleError):
    """A rule names a value that the instruction does not have."""


class LegacyMismatch(CodegenError):
    """The IDL cannot be expressed in the pre-0.30 form."""
