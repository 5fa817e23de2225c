"""Opaque cursors: where a page ended, for the next one to begin."""

from __future__ import annotations

import base64
import binascii
import json

from indexer.api.errors import ApiError


def encode_cursor(number: int, address: str) -> str:
    """The place behind a row by its sort key and address."""
    return base64.urlsafe_b64encode(json.dumps([number, address]).encode()).decode().rstrip("=")


def decode_cursor(text: str) -> tuple[int, str]:
    """The place again; ApiError 400 for anything this API did not make."""
    try:
        number, address = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if type(number) is int and type(address) is str:
            return number, address
    except (binascii.Error, ValueError, TypeError):
        pass
    raise ApiError(400, "invalid_cursor", "The cursor is none of this API's.", "Pass next_cursor of the last page.")
