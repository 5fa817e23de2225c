"""Wallets, mints and accounts that take part in the tests, by address."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.pdas import find_host, find_listing, find_market

from .keys import address
from .tokens import NATIVE_MINT

AUTHORITY: Final = address("authority")
GUARDIAN: Final = address("guardian")
TREASURY: Final = address("treasury")
ORACLE: Final = address("oracle")
HOST: Final = address("host")
RIVAL: Final = address("rival host")
RENTER: Final = address("renter")
TENANT: Final = address("another renter")
KEEPER: Final = address("keeper")
STRANGER: Final = address("stranger")
WALLETS: Final = (AUTHORITY, GUARDIAN, TREASURY, ORACLE, HOST, RIVAL, RENTER, TENANT, KEEPER, STRANGER)

GPUM: Final = address("market token")
USDC: Final = address("usdc")
WSOL: Final = NATIVE_MINT
MINTS: Final = (GPUM, USDC, WSOL)

MARKET: Final = find_market()[0]
LISTINGS: Final = tuple(find_listing(find_host(HOST)[0], number)[0] for number in range(8))
LISTING: Final = LISTINGS[0]
RIVAL_LISTING: Final = find_listing(find_host(RIVAL)[0], 0)[0]
