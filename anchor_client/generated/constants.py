"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ANY_REGION",
    "BPS",
    "EXECUTION_WINDOW",
    "FIRST_NONCE_SLOTS",
    "GRACE_MEMORY",
    "GUARDIAN_PAUSE",
    "GUARDIAN_PAUSE_GAP",
    "HOLDING_TOKENS",
    "LEAST_GRACE",
    "MAX_BURN_BPS",
    "MAX_CONNECTION_BYTES",
    "MAX_DURATION",
    "MAX_FEE_BPS",
    "MAX_HOLDING_DISCOUNT_BPS",
    "MAX_KEEP_DAYS",
    "MAX_PROPOSAL_STAKE_BPS",
    "MAX_REGIONS",
    "MAX_REGION_RENTALS",
    "MAX_REQUEST_SECONDS",
    "MAX_SHARDS",
    "MAX_SUBSIDY_BPS",
    "MAX_TITLE_BYTES",
    "MB_PER_GB",
    "MB_PER_TB",
    "NONCES_PER_SLOT",
    "PICO_PER_MICRO",
    "QUEUE_WINDOW",
    "REPORT_WINDOW",
    "REPUTATION_COMPLETION_PERCENT",
    "REPUTATION_RATING_PERCENT",
    "REPUTATION_UPTIME_PERCENT",
    "SECONDS_PER_HOUR",
    "SIGNATURE_LAMPORTS",
    "USD",
]

ANY_REGION: Final[int] = 255

BPS: Final[int] = 10000

EXECUTION_WINDOW: Final[int] = 1209600

FIRST_NONCE_SLOTS: Final[int] = 1500

GRACE_MEMORY: Final[int] = 900

GUARDIAN_PAUSE: Final[int] = 604800

GUARDIAN_PAUSE_GAP: Final[int] = 604800

HOLDING_TOKENS: Final[int] = 2000000

LEAST_GRACE: Final[int] = 30

MAX_BURN_BPS: Final[int] = 5000

MAX_CONNECTION_BYTES: Final[int] = 640

MAX_DURATION: Final[int] = 10800000

MAX_FEE_BPS: Final[int] = 3000

MAX_HOLDING_DISCOUNT_BPS: Final[int] = 5000

MAX_KEEP_DAYS: Final[int] = 999

MAX_PROPOSAL_STAKE_BPS: Final[int] = 100

MAX_REGIONS: Final[int] = 64

MAX_REGION_RENTALS: Final[int] = 250

MAX_REQUEST_SECONDS: Final[int] = 2592000

MAX_SHARDS: Final[int] = 64

MAX_SUBSIDY_BPS: Final[int] = 8500

MAX_TITLE_BYTES: Final[int] = 200

MB_PER_GB: Final[int] = 1000

MB_PER_TB: Final[int] = 1000000

NONCES_PER_SLOT: Final[int] = 65536

PICO_PER_MICRO: Final[int] = 1000000

QUEUE_WINDOW: Final[int] = 604800

REPORT_WINDOW: Final[int] = 3600

REPUTATION_COMPLETION_PERCENT: Final[int] = 15

REPUTATION_RATING_PERCENT: Final[int] = 25

REPUTATION_UPTIME_PERCENT: Final[int] = 60

SECONDS_PER_HOUR: Final[int] = 3600

SIGNATURE_LAMPORTS: Final[int] = 5000

USD: Final[int] = 1000000
