"""The X25519 twin of a wallet's Ed25519 key: what a host seals to when it has no order."""

from __future__ import annotations

from nacl.bindings import crypto_sign_ed25519_pk_to_curve25519
from nacl.exceptions import RuntimeError as NotOnCurve
from solders.pubkey import Pubkey

from anchor_client.errors import InvalidOrder


def wallet_seal_key(wallet: Pubkey) -> bytes:
    """The 32 bytes to seal to. InvalidOrder for an address without a private key."""
    try:
        return crypto_sign_ed25519_pk_to_curve25519(bytes(wallet))
    except NotOnCurve as error:
        raise InvalidOrder(f"{wallet} has sent no order, and nothing can be sealed to it") from error
