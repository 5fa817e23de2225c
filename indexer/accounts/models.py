"""Tables of the area, with their own migrations and version: in the index's database or in another."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import Index, MetaData, text
from sqlmodel import Field

from anchor_client.service.shares import Nest
from indexer.models.base import NAMING, Address, Count, Hash, Name, Prose, Record, Word, table

WAITING = text("status = 'waiting'")
BEHIND = text("is_behind")


class AccountRecord(Record):
    """A row that follows from nothing else. Moments are unix seconds; of what its owner shows there is the SHA-256."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=NAMING)


@table()
class UsedNonce(AccountRecord):
    """A challenge that somebody has signed in with; kept for as long as it would be valid."""

    nonce: Name = Field(primary_key=True)
    expires_at: Count = Field(index=True)


class SharedRecord(AccountRecord):
    """A row of a table that networks share: those that it counts for, the widest first."""

    wide: Name = ""
    middle: Name = ""
    origin: Name = ""

    @property
    def nest(self) -> Nest:
        """Those networks."""
        return Nest(self.wide, self.middle, self.origin)


@table(Index(None, "wide", "middle", "origin", "created_at"))
class SignIn(SharedRecord):
    """A family of refresh tokens: what one signature has begun."""

    id: Word = Field(primary_key=True)
    wallet: Address = Field(index=True)
    created_at: Count
    expires_at: Count = Field(index=True)
    """When its refresh tokens end, however often they were renewed."""
    revoked_at: Count | None = None


@table()
class RefreshToken(AccountRecord):
    """A refresh token; the reuse of one shows that it was stolen."""

    digest: Hash = Field(primary_key=True)
    sign_in: Word = Field(index=True)
    used_at: Count | None = None


@table(Index(None, "wide", "middle", "origin"))
class ApiKey(SharedRecord):
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


@table(Index(None, "wide", "middle", "origin"))
class SavedSearch(SharedRecord):
    """A search of a wallet among the listings."""

    id: Word = Field(primary_key=True)
    wallet: Address = Field(index=True)
    name: Prose
    filters: Prose
    """Those given, as JSON, by the names that the list of listings has for them."""
    created_at: Count


@table()
class NoticePlace(AccountRecord):
    """Place in the stream of events up to which the notices of all endpoints have been made; one row."""

    id: Count = Field(primary_key=True)
    index_id: Name
    number: Count


@table()
class WebhookChange(AccountRecord):
    """An endpoint that has come, changed or gone, for the process that sends; null for all of them."""

    number: Count = Field(primary_key=True)
    endpoint: Word | None = None


@table(
    Index(None, "wide", "middle", "origin"),
    Index(None, "wide", "caught_at", sqlite_where=BEHIND, postgresql_where=BEHIND),
)
class Webhook(SharedRecord):
    """A wallet's endpoint for notices. Its secrets are stored as they are, for notices are signed with them. Its share
    of the senders is that of the address that it was added from (`origin`)."""

    id: Word = Field(primary_key=True)
    wallet: Address = Field(index=True)
    url: Prose
    types: Prose
    """Of notices, separated by spaces."""
    topics: Prose
    """Its topics, in the feed's form, separated by spaces."""
    low_funds: Prose
    """When funds are low: seconds left such as 600s, or parts of the time such as 10%; separated by spaces."""
    secret: Prose
    old_secret: Prose | None = None
    """The one before, which signs too until `old_secret_until`."""
    old_secret_until: Count | None = None
    created_at: Count
    index_id: Name
    """Index that its notices have been made from."""
    number: Count
    """Number in that index up to which there are none of its own: where it was added, fell behind or has caught up."""
    is_behind: bool = False
    """True if it continues from its own `number`; others follow the common place."""
    caught_at: Count = 0
    """Milliseconds when it last advanced from its own place: the one that has waited longest is next."""
    waiting: Count = 0
    """Notices that wait."""
    since: Count
    """The index's newest slot when it was created."""
    anew: bool = False
    """True once the index has lost its numbers: events up to slot `since` are then older than the endpoint."""
    failing_since: Count | None = None
    """Since when no notice has been taken."""
    disabled_at: Count | None = None
    disabled_reason: Prose | None = None
    is_quick: bool = False
    """True if it has answered its last notice within a second."""
    slow_until: Count = 0
    """Until when that is not believed: it was, and then did not answer."""
    turn_at: Count = 0
    """Milliseconds at its last attempt: the one that has waited longest is next."""
    due_at: Count | None = Field(default=None, index=True)
    """Time of the next notice; null while none waits."""


@table(
    Index(None, "endpoint", "number"),
    Index(None, "endpoint", "next_at", sqlite_where=WAITING, postgresql_where=WAITING),
    Index(None, "made_at"),
)
class WebhookDelivery(AccountRecord):
    """A notice, as every attempt sends it, and its state."""

    id: Name = Field(primary_key=True)
    """Follows from the endpoint and what it is about."""
    number: Count = Field(unique=True)
    """In the order in which notices were made."""
    endpoint: Word
    type: Word
    body: Prose
    made_at: Count
    status: Word = "waiting"
    """waiting, delivered or failed."""
    attempts: int = 0
    tries: int = 0
    """Attempts since it was made or replayed."""
    next_at: Count
    """When it is tried next, of one that waits."""
    last_at: Count | None = None
    response: int | None = None
    """HTTP status of the last attempt; null where none came."""
    error: Prose | None = None
