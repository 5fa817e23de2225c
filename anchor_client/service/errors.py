"""The root of all errors, and the errors of files that hold keys."""

from __future__ import annotations

from typing import ClassVar


class GpuMarketError(Exception):
    """Any error a user can meet. `message` says in one line what happened, `remedy` what to do about it."""

    default_remedy: ClassVar[str] = "Try again; if it persists, report it with the command that was run."

    def __init__(self, message: str, remedy: str | None = None) -> None:
        Exception.__init__(self, message)
        self.message = message
        self.remedy = remedy or self.default_remedy


class BadSetting(GpuMarketError):
    """A setting is missing, unknown or not valid."""

    default_remedy = "docs/settings.md lists all settings; --print-settings shows those in use."


class BadKeyFile(GpuMarketError):
    """A key file, or a key in the environment, is missing or is not a key."""

    default_remedy = "Choose another key with --keypair, or create one with `gpu-market wallet new`."


class KeyFileExists(GpuMarketError):
    """A new key would overwrite a file."""

    default_remedy = "Choose another path; a key that is overwritten is lost forever."
