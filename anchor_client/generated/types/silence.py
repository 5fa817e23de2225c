"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class Silence(IntEnum):
    """Presence of a listing's host. Anyone may mark a listing whose last heartbeat is too old. Its host then has the
    answer window, in seconds and in slots, to be heard from; for as long again the silence can be acted on, or
    proven for good by marking once more. After that the mark is void.
    """

    HEARD = 0
    MARKED = 1
    PROVEN = 2
