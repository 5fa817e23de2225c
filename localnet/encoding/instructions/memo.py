"""Memo instructions."""

from collections.abc import Sequence

from localnet.records import Json


def parse_memo(data: bytes, accounts: Sequence[str]) -> Json:
    """The memo's text; None when it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
