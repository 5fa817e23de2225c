"""The key that signs: read from a file, an environment variable or base58 text, or made and saved."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.service.errors import BadKeyFile
from anchor_client.service.home import expanded
from anchor_client.service.private_files import write_key
from anchor_client.service.text_file import read_text, unreadable
from anchor_client.solana.errors import BadAddress

SECRET_BYTES: Final = 64
ENVIRONMENT_VARIABLE: Final = "GPU_MARKET_KEYPAIR"


class Wallet:
    """A key pair that never shows its secret in logs or errors."""

    def __init__(self, keypair: Keypair) -> None:
        self.keypair = keypair

    @property
    def pubkey(self) -> Pubkey:
        """The wallet's address."""
        return self.keypair.pubkey()

    def __repr__(self) -> str:
        return f"Wallet({self.pubkey})"

    @classmethod
    def from_file(cls, path: Path | str) -> Wallet:
        """Reads a Solana key file: a JSON array of 64 numbers. BadKeyFile when it is none."""
        file = expanded(path)
        try:
            text = read_text(file)
        except FileNotFoundError:
            raise BadKeyFile(f"There is no key file at {file}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise BadKeyFile(f"The key file {file} cannot be read: {unreadable(error)}") from error
        return cls(_from_json(text, f"The key file {file}"))

    @classmethod
    def from_environment(cls, name: str = ENVIRONMENT_VARIABLE, environment: Mapping[str, str] = os.environ) -> Wallet:
        """Reads a variable that holds a path, base58 text or a JSON array. BadKeyFile when it is unset or no key."""
        value = environment.get(name, "").strip()
        if not value:
            raise BadKeyFile(f"The environment variable {name} is not set")
        if value.startswith("["):
            return cls(_from_json(value, f"The key in {name}"))
        if "/" in value or expanded(value).is_file():
            return cls.from_file(value)
        return cls(_from_base58(value, f"The key in {name}"))

    @classmethod
    def generate(cls, path: Path | str | None = None) -> Wallet:
        """A new key, saved for its owner's eyes only (mode 0600). KeyFileExists rather than overwriting one."""
        wallet = cls(Keypair())
        if path is not None:
            wallet.save(path)
        return wallet

    def save(self, path: Path | str) -> None:
        """Writes a new Solana key file with mode 0600. KeyFileExists, BadKeyFile when it cannot be written."""
        write_key(path, self.keypair.to_json(), "key")


def parse_address(text: str) -> Pubkey:
    """An address from base58 text; BadAddress."""
    try:
        return Pubkey.from_string(text.strip())
    except ValueError:
        raise BadAddress(f"{text!r} is not an address") from None


def _from_json(text: str, source: str) -> Keypair:
    try:
        numbers = json.loads(text)
    except (ValueError, RecursionError):
        raise BadKeyFile(f"{source} is not a JSON array of {SECRET_BYTES} numbers") from None
    valid = isinstance(numbers, list) and len(numbers) == SECRET_BYTES
    if not valid or not all(type(number) is int and 0 <= number < 256 for number in numbers):
        raise BadKeyFile(f"{source} is not a JSON array of {SECRET_BYTES} numbers")
    try:
        return Keypair.from_bytes(bytes(numbers))
    except ValueError:
        raise BadKeyFile(f"{source} is damaged: its public half does not belong to its secret half") from None


def _from_base58(text: str, source: str) -> Keypair:
    try:
        return Keypair.from_base58_string(text.strip())
    except ValueError:
        raise BadKeyFile(f"{source} is not the base58 text of a key pair") from None
