"""Bytes that clients send as text, with a validator's complaints about bad ones."""

import base64
import binascii

from anchor_idl import base58
from localnet.rpc.errors import invalid_params

BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="


class BadText(ValueError):
    """Text that is not in its encoding; the message is Rust's debug form of the cause."""


def decode_base58(text: str) -> bytes:
    """Raises BadText."""
    try:
        return base58.decode(text)
    except ValueError:
        index = next(index for index, character in enumerate(text) if character not in base58.ALPHABET)
        raise BadText(f"InvalidCharacter {{ character: {text[index]!r}, index: {index} }}") from None


def decode_base64(text: str) -> bytes:
    """Raises BadText."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        for index, character in enumerate(text):
            if character not in BASE64_ALPHABET:
                raise BadText(f"InvalidByte({index}, {ord(character)})") from None
        raise BadText("InvalidPadding") from None


def base64_param(text: str) -> bytes:
    """A base64 parameter. Raises RpcError -32602."""
    try:
        return decode_base64(text)
    except BadText as error:
        raise invalid_params(f"invalid base64 encoding: {error}") from None


def base58_param(text: str) -> bytes:
    """A base58 parameter. Raises RpcError -32602."""
    try:
        return decode_base58(text)
    except BadText as error:
        raise invalid_params(f"invalid base58 encoding: {error}") from None
