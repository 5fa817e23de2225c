"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class PauseArea(IntEnum):
    """Area that `set_paused` stops: new orders, new supply or new prices. Money always finds its way back to its
    owners.
    """

    ORDERS = 0
    HOSTS = 1
    PRICES = 2
