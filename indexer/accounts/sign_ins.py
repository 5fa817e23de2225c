"""Sign-ins: families of refresh tokens, each of which is used once. One that comes again ends its family."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from anchor_client.service.shares import NOWHERE, Nest
from indexer.accounts.errors import RefreshInvalid, RefreshReused
from indexer.accounts.models import RefreshToken, SignIn, UsedNonce
from indexer.accounts.secrets import REFRESH_PREFIX, digest_of, new_id, new_secret
from indexer.store.shares import count_of, first_of, heaviest

SIGN_IN_SECONDS = 30 * 86_400
MAX_SIGN_INS = 20
"""Of a wallet; the oldest makes room."""
MOST = 50_000
"""Of all wallets, which cost nothing: the network with the most makes room, with its oldest."""
MAX_USED = 100
"""Refresh tokens of a sign-in that are kept after their use, to be known when they come again."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Whom tokens are made for, and the refresh token, which nobody is shown again."""

    wallet: str
    sign_in: str
    refresh_token: str


def begin(connection: Connection, wallet: str, now: int, nest: Nest = NOWHERE) -> Grant:
    """A new sign-in of a wallet, from a network."""
    _prune(connection, wallet, now)
    while count_of(connection, SignIn.table) >= MOST:
        first = first_of(connection, SignIn.table, heaviest(connection, SignIn.table, nest), SignIn.c.created_at)
        _forget(connection, first.id)
    id = new_id()
    made = SignIn(id=id, wallet=wallet, created_at=now, expires_at=now + SIGN_IN_SECONDS, **nest._asdict())
    connection.execute(insert(SignIn.table).values(vars(made)))
    return Grant(wallet, id, _new_token(connection, id))


def renew(connection: Connection, refresh_token: str, now: int) -> Grant | RefreshReused:
    """Exchanges a refresh token for the next one. RefreshInvalid.

    One that was used before revokes its sign-in: that is returned, not raised, so that it stays revoked.
    """
    rows = select(RefreshToken.table, SignIn.c.wallet, SignIn.c.expires_at, SignIn.c.revoked_at)
    rows = rows.join(SignIn.table, SignIn.c.id == RefreshToken.c.sign_in)
    found = connection.execute(rows.where(RefreshToken.c.digest == digest_of(refresh_token))).first()
    if found is None or found.revoked_at is not None or found.expires_at <= now:
        raise RefreshInvalid("The refresh token is unknown, has expired or was revoked.")
    if found.used_at is not None:
        revoke(connection, found.sign_in, now)
        return RefreshReused("The refresh token was used before: all tokens of its sign-in are revoked.")
    connection.execute(update(RefreshToken.table).where(RefreshToken.c.digest == found.digest).values(used_at=now))
    own = RefreshToken.c.sign_in == found.sign_in
    used = select(RefreshToken.c.used_at).where(own, RefreshToken.c.used_at.is_not(None))
    oldest = used.order_by(RefreshToken.c.used_at.desc()).offset(MAX_USED).limit(1).scalar_subquery()
    connection.execute(delete(RefreshToken.table).where(own, RefreshToken.c.used_at <= oldest))
    return Grant(found.wallet, found.sign_in, _new_token(connection, found.sign_in))


def revoke(connection: Connection, sign_in: str, now: int) -> None:
    """Ends a sign-in; harmless when it has."""
    live = (SignIn.c.id == sign_in) & SignIn.c.revoked_at.is_(None)
    connection.execute(update(SignIn.table).where(live).values(revoked_at=now))


def is_live(connection: Connection, sign_in: str, now: int) -> bool:
    """True where a sign-in has neither ended nor been revoked."""
    live = (SignIn.c.id == sign_in) & SignIn.c.revoked_at.is_(None) & (SignIn.c.expires_at > now)
    return connection.execute(select(SignIn.c.id).where(live)).first() is not None


def _new_token(connection: Connection, sign_in: str) -> str:
    made = new_secret(REFRESH_PREFIX)
    connection.execute(insert(RefreshToken.table).values(digest=digest_of(made), sign_in=sign_in))
    return made


def _prune(connection: Connection, wallet: str, now: int) -> None:
    """Deletes what has expired, and the oldest sign-ins of a wallet that has too many."""
    connection.execute(delete(UsedNonce.table).where(UsedNonce.c.expires_at < now))
    own = select(SignIn.c.id).where(SignIn.c.wallet == wallet).order_by(SignIn.c.created_at.desc(), SignIn.c.id)
    over = connection.execute(own.offset(MAX_SIGN_INS - 1).limit(MAX_SIGN_INS)).scalars().all()
    expired = connection.execute(select(SignIn.c.id).where(SignIn.c.expires_at < now).limit(100)).scalars().all()
    for id in {*over, *expired}:
        _forget(connection, id)


def _forget(connection: Connection, id: str) -> None:
    connection.execute(delete(RefreshToken.table).where(RefreshToken.c.sign_in == id))
    connection.execute(delete(SignIn.table).where(SignIn.c.id == id))
