"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class CloseReason(IntEnum):
    """Why a rental ended."""

    EXPIRED = 0
    STOPPED = 1
    WITHDRAWN = 2
    PROVISION_TIMEOUT = 3
    HOST_OFFLINE = 4
    HOST_FAULT = 5
    HOST_MAINTENANCE = 6
    ORDER_REFUSED = 7
    PREEMPTED = 8
    OUTBID = 9
    TAKE_OVER_TIMEOUT = 10
    ORDER_UNDELIVERED = 11
    ORDER_UNREADABLE = 12
    ORDER_UNRUNNABLE = 13
    FINISHED = 14
