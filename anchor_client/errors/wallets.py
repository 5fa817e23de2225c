"""Keys and addresses that cannot be read."""

from __future__ import annotations

from anchor_client.errors.base import GpuMarketError


class BadKeyFile(GpuMarketError):
    """A key file, or a key in the environment, is missing or is not a key."""

    default_remedy = "Choose another key with --keypair, or create one with `gpu-market wallet new`."


class KeyFileExists(GpuMarketError):
    """A new key would overwrite a file."""

    default_remedy = "Choose another path; a key that is overwritten is lost forever."


class BadAddress(GpuMarketError):
    """The text is not a base58 address of 32 bytes."""

    default_remedy = "Copy the whole address; it has 32 to 44 letters and digits, without 0, O, I and l."
