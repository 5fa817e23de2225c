"""Tables of the area, with migrations and a version of their own: in the index's database or in another."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import MetaData
from sqlmodel import Field

from indexer.models.base import NAMING, Address, Count, Hash, Name, Prose, Record, Word, table


class AccountRecord(Record):
    """A row that follows from nothing else. Moments are unix seconds; of secrets there is the SHA-256."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=NAMING)


@table()
class UsedNonce(AccountRecord):
    """A challenge that somebody has signed in with; kept for as long as it would be valid."""

    nonce: Name = Field(primary_key=True)
    expires_at: Count = Field(index=True)


@table()
class SignIn(AccountRecord):
    """A family of refresh tokens: what one signature has begun."""

    id: Word = Field(primary_key=True)
    wallet: Address = Field(index=True)
    created_at: Count
    expires_at: Count = Field(index=True)
    """When its refresh tokens end, however often they were renewed."""
    revoked_at: Count | None = None


@table()
class RefreshToken(AccountRecord):
    """A refresh token; one that has been used tells, when it comes again, that somebody has stolen it."""

    digest: Hash = Field(primary_key=True)
    sign_in: Word = Field(index=True)
    used_at: Count | None = None


@table()
class ApiKey(AccountRecord):
    """A key for scripts of a wallet."""

    id: Word = Field(primary_key=True)
    wallet: Address = Field(index=True)
    name: Prose
    scopes: Prose
    """Separated by spaces."""
    digest: Hash = Field(unique=True)
    created_at: Count
    expires_at: Count | None = None
    last_used_at: Count | None = None
    """To the minute."""
