"""Challenges for wallets to sign, and the check of their signatures.

A nonce carries a code that authenticates it with the times of its challenge, so that nothing is kept of a challenge
until somebody has signed in with it: asking for many takes no room.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from solders.pubkey import Pubkey
from solders.signature import Signature
from sqlalchemy import Connection, insert, select

from anchor_client.api.sign_in import SignInMessage
from anchor_client.signed_text import is_signed, text_in
from indexer.accounts.errors import ChallengeExpired, ChallengeUsed, WrongMessage, WrongSignature
from indexer.accounts.models import UsedNonce
from indexer.accounts.signing_keys import SigningKey, SigningKeys
from indexer.settings import IndexerSettings

STATEMENT = "Sign in to gpu-market. This sends no transaction and costs nothing."
VERSION = "1"
CHALLENGE_SECONDS = 300
SKEW_SECONDS = 60
"""Most that the clocks of machines that serve the same API may differ."""
RANDOM_BYTES = CODE_BYTES = 16
PURPOSE = b"sign-in challenge\n"


class ChallengeFields(NamedTuple):
    """Fields that are new in each message."""

    nonce: str
    issued_at: str
    expiration_time: str


@dataclass(frozen=True, slots=True)
class SignInTerms:
    """Fields that all messages of this API share."""

    domain: str
    uri: str
    chain_id: str

    @classmethod
    def of(cls, settings: IndexerSettings) -> SignInTerms:
        """Those of the settings."""
        return cls(settings.domain, settings.uri, settings.sign_in_chain)

    def message(self, address: str, challenge: ChallengeFields) -> SignInMessage:
        """The message that a wallet signs."""
        return SignInMessage(
            self.domain,
            address,
            STATEMENT,
            uri=self.uri,
            version=VERSION,
            chain_id=self.chain_id,
            nonce=challenge.nonce,
            issued_at=challenge.issued_at,
            expiration_time=challenge.expiration_time,
        )


def new_challenge(keys: SigningKeys, now: int) -> ChallengeFields:
    """One to sign within CHALLENGE_SECONDS. `now` in unix seconds."""
    issued = _text_of(now)
    expires = _text_of(now + CHALLENGE_SECONDS)
    random = secrets.token_hex(RANDOM_BYTES)
    return ChallengeFields(random + _code(keys[0], random, issued, expires), issued, expires)


def verify(
    terms: SignInTerms, keys: SigningKeys, address: str, signed: bytes, signature: Signature, now: int
) -> SignInMessage:
    """The message that a wallet has signed, exactly as it was asked to, also in an off-chain message's envelope.

    WrongMessage, ChallengeExpired, WrongSignature.
    """
    wallet = Pubkey.from_string(address)
    try:
        text = text_in(signed, wallet)
        message = SignInMessage.parse(text.decode())
    except ValueError as error:
        raise WrongMessage("The signed text is not a sign-in message.") from error
    nonce = message.nonce or ""
    issued = message.issued_at or ""
    expires = message.expiration_time or ""
    if not (nonce and issued and expires) or message != terms.message(address, ChallengeFields(nonce, issued, expires)):
        raise WrongMessage(f"The signed message is not the one that {terms.domain} asks {address} to sign.")
    random = nonce[: 2 * RANDOM_BYTES]
    code = nonce[2 * RANDOM_BYTES :]
    if not any(hmac.compare_digest(code.encode(), _code(key, random, issued, expires).encode()) for key in keys):
        raise WrongMessage("The challenge was not issued by this API.")
    if now > _seconds_of(expires) + SKEW_SECONDS:
        raise ChallengeExpired("The challenge has expired.")
    if now < _seconds_of(issued) - SKEW_SECONDS:
        raise ChallengeExpired(
            "The challenge was issued in the future.", remedy="Set the clocks of the API's machines."
        )
    if not is_signed(text, wallet, signature):
        raise WrongSignature(f"The signature is not by {address}.")
    return message


def use(connection: Connection, message: SignInMessage) -> None:
    """Uses up a challenge, once and for all processes. ChallengeUsed."""
    nonce = message.nonce or ""
    if connection.execute(select(UsedNonce.c.nonce).where(UsedNonce.c.nonce == nonce)).first() is not None:
        raise ChallengeUsed("This challenge was already used.")
    expires_at = _seconds_of(message.expiration_time or "") + SKEW_SECONDS
    connection.execute(insert(UsedNonce.table).values(nonce=nonce, expires_at=expires_at))


def _code(key: SigningKey, *told: str) -> str:
    return hmac.digest(key.secret, PURPOSE + "\n".join(told).encode(), "sha256")[:CODE_BYTES].hex()


def _text_of(seconds: int) -> str:
    """As JavaScript's toISOString has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _seconds_of(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())
