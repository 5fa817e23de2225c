"""Authentication errors."""

from __future__ import annotations


class NotSignedIn(Exception):
    """A credential or a signature that does not count; `error` is its stable name."""

    error = "not_signed_in"
    remedy = "Sign in again: get a challenge from POST /api/auth/challenge."

    def __init__(self, detail: str, error: str | None = None, remedy: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.error = error or self.error
        self.remedy = remedy or self.remedy


class WrongMessage(NotSignedIn):
    """The signed message is not one that this API asks wallets to sign."""

    error = "wrong_message"


class WrongSignature(NotSignedIn):
    """The signature is not that wallet's over that message."""

    error = "wrong_signature"


class ChallengeExpired(NotSignedIn):
    """The challenge is too old, or issued in the future."""

    error = "challenge_expired"


class ChallengeUsed(NotSignedIn):
    """Somebody has signed in with the challenge already."""

    error = "challenge_used"


class TokenInvalid(NotSignedIn):
    """The access token was not issued by this API, or has expired."""

    error = "invalid_token"
    remedy = "Get another with POST /api/auth/refresh, or sign in again."


class RefreshInvalid(NotSignedIn):
    """The refresh token is unknown, has expired or was revoked."""

    error = "invalid_refresh_token"


class RefreshReused(NotSignedIn):
    """The refresh token was used before: its sign-in is over."""

    error = "refresh_token_reused"


class KeyInvalid(NotSignedIn):
    """There is no such API key, or it has expired."""

    error = "invalid_api_key"
    remedy = "Create one with POST /api/auth/keys."
