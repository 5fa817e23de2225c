"""Cursors: where a page ended, for the next one to begin. Any text of their form is a place to continue from."""

from __future__ import annotations

from anchor_idl.base58 import ALPHABET
from indexer.api.errors import ApiError

PATTERN = rf"^(?:[a-z_]{{1,32}}~)?-?[0-9]{{1,18}}\.[{ALPHABET}]{{1,44}}(?:\.[0-9]{{1,18}})?$"
"""The sort where it is not the list's own, numbers that every database takes as an integer, and an address."""


def encode_cursor(sort: str, number: int, address: str, *further: int) -> str:
    """The place behind a row: its sort key, its address, and a number that distinguishes rows of both."""
    place = ".".join(map(str, (number, address, *further)))
    return f"{sort}~{place}" if sort else place


def decode_cursor(text: str, sort: str) -> tuple[int, str, int]:
    """Decodes a cursor; parts that it omits are zero. ApiError 400 for a cursor of another sort."""
    before, _, place = text.rpartition("~")
    if before != sort:
        detail = f"The cursor {text} belongs to a different sort order than this list's."
        remedy = "Pass the sort and order of the cursor's page, or start without a cursor."
        raise ApiError(400, "cursor_of_another_sort", detail, remedy)
    number, address, *further = place.split(".")
    return int(number), address, int(further[0]) if further else 0
