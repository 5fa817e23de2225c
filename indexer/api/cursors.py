"""Cursors: where a page ended, for the next one to begin. Whatever has their form is a place to go on from."""

from __future__ import annotations

from anchor_idl.base58 import ALPHABET

PATTERN = rf"^-?[0-9]{{1,18}}\.[{ALPHABET}]{{1,44}}$"
"""Numbers that every database takes as an integer, and addresses."""


def encode_cursor(number: int, address: str) -> str:
    """The place behind a row by its sort key and address."""
    return f"{number}.{address}"


def decode_cursor(text: str) -> tuple[int, str]:
    """The place again, of a text that has the form."""
    number, _, address = text.partition(".")
    return int(number), address
