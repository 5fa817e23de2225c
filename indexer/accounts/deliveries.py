"""Notices to endpoints, until each has been taken or given up, and for a while after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update

from indexer.accounts.models import Webhook, WebhookDelivery
from indexer.accounts.webhooks import changed_since, note_change, ring, stop_here

WAITING = "waiting"
DELIVERED = "delivered"
FAILED = "failed"
RETRY_SECONDS = (5, 300, 1_800, 7_200, 18_000, 25_200, 36_000)
"""From each failed attempt to the next: a day in all."""
JITTER = 0.2
"""By which part a wait is longer or shorter."""
FAILING_SECONDS = 5 * 86_400
"""After so long without a notice taken, an endpoint is disabled."""
KEPT_SECONDS = 30 * 86_400
"""Seconds that notices are kept; longer than the period sent again after an index has lost its numbers."""
GONE = 410
MOST_ERROR = 200
PRUNED = 1_000
BATCH = 1_000
"""Notices that one statement keeps."""
QUICK_SECONDS = 1.0
"""An endpoint that answers within it is served among the quick ones, whose attempts are cut then."""
DEMOTED_SECONDS = 60
"""Seconds that an endpoint stays among the slow ones after an attempt was cut."""
MILLISECONDS = 1_000

_IS_WAITING = WebhookDelivery.c.status == WAITING
_IS_SERVED = Webhook.c.disabled_at.is_(None)


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """Result of an attempt. `response` is an HTTP status; `error` is the reason for its absence or failure."""

    id: str
    endpoint: str
    response: int | None
    error: str | None
    retry_after: float = 0.0
    """Seconds that the receiver asks to be left alone."""
    spread: float = 1.0
    """Factor of the wait before the next attempt."""
    seconds: float = 0.0
    """Duration of the attempt."""
    is_cut: bool = False
    """True for an attempt among the quick ones that took too long: it is repeated among the slow ones."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A notice that is to be sent now."""

    id: str
    type: str
    body: str
    made_at: int
    endpoint: str
    url: str
    secrets: tuple[str, ...]
    origin: str = ""
    is_quick: bool = False


class Due(NamedTuple):
    """An endpoint with a notice to send now."""

    endpoint: str
    origin: str
    is_quick: bool


def note(connection: Connection, notices: Iterable[WebhookDelivery]) -> list[WebhookDelivery]:
    """Keeps the new ones of enabled endpoints, in their order; returns them."""
    given = [*notices]
    batches = (given[start : start + BATCH] for start in range(0, len(given), BATCH))
    return [kept for batch in batches for kept in _note(connection, batch)]


def _note(connection: Connection, notices: Sequence[WebhookDelivery]) -> list[WebhookDelivery]:
    named = {notice.endpoint for notice in notices}
    there = set(connection.execute(select(Webhook.c.id).where(_IS_SERVED, Webhook.c.id.in_(named))).scalars())
    once = {notice.id: notice for notice in notices if notice.endpoint in there}
    known = select(WebhookDelivery.c.id).where(WebhookDelivery.c.id.in_(once))
    for id in connection.execute(known).scalars():
        del once[id]
    last = connection.execute(select(func.coalesce(func.max(WebhookDelivery.c.number), 0))).scalar_one()
    for number, notice in enumerate(once.values(), last + 1):
        notice.number = number
    if once:
        connection.execute(insert(WebhookDelivery.table), [vars(notice) for notice in once.values()])
        _schedule(connection, {notice.endpoint for notice in once.values()})
        for count, endpoints in _by_count(once.values()).items():
            added = update(Webhook.table).where(Webhook.c.id.in_(endpoints))
            connection.execute(added.values(waiting=Webhook.c.waiting + count))
    return list(once.values())


def note_asked(connection: Connection, version: int, notices: Iterable[WebhookDelivery]) -> list[WebhookDelivery]:
    """Keeps notices made for endpoints as of a version of the roster; gives those of endpoints that have not changed
    since."""
    changed, _ = changed_since(connection, version)
    asked = [] if changed is None else [notice for notice in notices if notice.endpoint not in changed]
    note(connection, asked)
    return asked


def due(connection: Connection, now: int, busy: Collection[str]) -> list[Due]:
    """The endpoints that are not `busy` and have a notice to send, the one that has waited longest for a turn first."""
    ready = select(Webhook.c.id, Webhook.c.origin, Webhook.c.is_quick).where(_IS_SERVED, Webhook.c.due_at <= now)
    turns = ready.order_by(Webhook.c.turn_at, Webhook.c.due_at)
    return [found for row in connection.execute(turns) if (found := Due(*row)).endpoint not in busy]


def take(connection: Connection, now: int, endpoints: Sequence[str]) -> list[Waiting]:
    """The next notice of each of these endpoints: the oldest due one."""
    firsts = (
        select(func.min(WebhookDelivery.c.number))
        .where(WebhookDelivery.c.endpoint.in_(endpoints), _IS_WAITING, WebhookDelivery.c.next_at <= now)
        .group_by(WebhookDelivery.c.endpoint)
    )
    owner = (Webhook.c.url, Webhook.c.origin, Webhook.c.is_quick)
    secrets = (Webhook.c.secret, Webhook.c.old_secret, Webhook.c.old_secret_until)
    rows = (
        select(WebhookDelivery.table, *owner, *secrets)
        .join(Webhook.table, Webhook.c.id == WebhookDelivery.c.endpoint)
        .where(WebhookDelivery.c.number.in_(firsts))
    )
    return [_waiting(row, now) for row in connection.execute(rows)]


def next_at(connection: Connection, now: int) -> int | None:
    """Time of the next notice that is not due at `now`."""
    soonest = select(func.min(Webhook.c.due_at)).where(_IS_SERVED, Webhook.c.due_at > now)
    found: int | None = connection.execute(soonest).scalar()
    return found


def record(connection: Connection, outcomes: Iterable[DeliveryOutcome], now: int) -> list[Webhook]:
    """Keeps what came of attempts; gives the endpoints that are disabled for it."""
    disabled = []
    for outcome in outcomes:
        if outcome.is_cut:
            _demote(connection, outcome.endpoint, now)
            continue
        is_taken = outcome.error is None
        tries = connection.execute(select(WebhookDelivery.c.tries).where(WebhookDelivery.c.id == outcome.id)).scalar()
        if tries is None:  # its endpoint has been removed
            continue
        is_last = outcome.response == GONE or tries >= len(RETRY_SECONDS)
        status = WAITING
        wait = 0.0
        if is_taken:
            status = DELIVERED
        elif is_last:
            status = FAILED
        else:
            wait = max(RETRY_SECONDS[tries] * outcome.spread, outcome.retry_after)
        connection.execute(
            update(WebhookDelivery.table)
            .where(WebhookDelivery.c.id == outcome.id)
            .values(
                status=status,
                attempts=WebhookDelivery.c.attempts + 1,
                tries=tries + 1,
                next_at=now + round(wait),
                last_at=now,
                response=outcome.response,
                error=None if outcome.error is None else outcome.error[:MOST_ERROR],
            )
        )
        if status != WAITING:
            _count_off(connection, outcome.endpoint)
        disabled += _judge(connection, outcome, now)
        _schedule(connection, {outcome.endpoint})
    return disabled


def listed(
    connection: Connection, endpoint: str, status: str | None, before: int | None, most: int
) -> Sequence[WebhookDelivery]:
    """An endpoint's, the newest first, from below a number."""
    chosen = WebhookDelivery.c.endpoint == endpoint
    if status is not None:
        chosen &= WebhookDelivery.c.status == status
    if before is not None:
        chosen &= WebhookDelivery.c.number < before
    rows = select(WebhookDelivery.table).where(chosen).order_by(WebhookDelivery.c.number.desc()).limit(most)
    return [WebhookDelivery(**row) for row in connection.execute(rows).mappings()]


def find(connection: Connection, endpoint: str, id: str) -> WebhookDelivery | None:
    """One of an endpoint's."""
    own = select(WebhookDelivery.table).where(WebhookDelivery.c.endpoint == endpoint, WebhookDelivery.c.id == id)
    row = connection.execute(own).mappings().first()
    return None if row is None else WebhookDelivery(**row)


def replay(connection: Connection, endpoint: str, which: ColumnElement[bool], now: int) -> int:
    """Has notices of an endpoint sent again, by the same ids; how many."""
    chosen = update(WebhookDelivery.table).where(WebhookDelivery.c.endpoint == endpoint, which)
    count = connection.execute(chosen.values(status=WAITING, tries=0, next_at=now)).rowcount
    _schedule(connection, {endpoint})
    waiting = select(func.count()).where(WebhookDelivery.c.endpoint == Webhook.c.id, _IS_WAITING).scalar_subquery()
    connection.execute(update(Webhook.table).where(Webhook.c.id == endpoint).values(waiting=waiting))
    ring(connection)
    return count


def prune(connection: Connection, now: int) -> bool:
    """Deletes some of the notices that ended long ago; True if there may be more."""
    over = (WebhookDelivery.c.made_at < now - KEPT_SECONDS) & (WebhookDelivery.c.status != WAITING)
    ids = select(WebhookDelivery.c.id).where(over).limit(PRUNED)
    return connection.execute(delete(WebhookDelivery.table).where(WebhookDelivery.c.id.in_(ids))).rowcount == PRUNED


def waiting_test(connection: Connection, endpoint: str, type: str) -> WebhookDelivery | None:
    """The newer of two notices of a type that wait for an endpoint; None where fewer do."""
    own = select(WebhookDelivery.table).where(WebhookDelivery.c.endpoint == endpoint, _IS_WAITING)
    newest = own.where(WebhookDelivery.c.type == type).order_by(WebhookDelivery.c.number.desc()).limit(2)
    rows = connection.execute(newest).mappings().all()
    # One alone may be on its way: what is asked for after it was sent is another test.
    return WebhookDelivery(**rows[0]) if len(rows) > 1 else None


def _by_count(notices: Iterable[WebhookDelivery]) -> dict[int, list[str]]:
    """The endpoints by how many notices each gets."""
    found: dict[int, list[str]] = {}
    for endpoint, count in Counter(notice.endpoint for notice in notices).items():
        found.setdefault(count, []).append(endpoint)
    return found


def _count_off(connection: Connection, endpoint: str) -> None:
    own = update(Webhook.table).where(Webhook.c.id == endpoint, Webhook.c.waiting > 0)
    connection.execute(own.values(waiting=Webhook.c.waiting - 1))


def _schedule(connection: Connection, endpoints: Collection[str]) -> None:
    """Records the time of each one's next notice."""
    soonest = select(func.min(WebhookDelivery.c.next_at)).where(WebhookDelivery.c.endpoint == Webhook.c.id, _IS_WAITING)
    chosen = update(Webhook.table).where(Webhook.c.id.in_(endpoints))
    connection.execute(chosen.values(due_at=soonest.scalar_subquery()))


def _demote(connection: Connection, endpoint: str, now: int) -> None:
    """Serves an endpoint among the slow ones; its notice is sent again there, and this attempt counts for nothing."""
    values = {"is_quick": False, "slow_until": now + DEMOTED_SECONDS, "turn_at": now * MILLISECONDS}
    connection.execute(update(Webhook.table).where(Webhook.c.id == endpoint).values(values))


def _waiting(row: Row[*tuple[object, ...]], now: int) -> Waiting:
    values = row._mapping
    until = values["old_secret_until"]
    # For a while after a change both sign, so that receivers need not change at the same moment.
    secrets = [values["secret"]]
    if until is not None and until > now:
        secrets.append(values["old_secret"])
    named = {name: values[name] for name in ("id", "type", "body", "made_at", "endpoint", "url", "origin", "is_quick")}
    return Waiting(**named, secrets=tuple(secrets))


def _judge(connection: Connection, outcome: DeliveryOutcome, now: int) -> list[Webhook]:
    """Notes how an endpoint is; gives it if it is disabled now."""
    row = connection.execute(select(Webhook.table).where(Webhook.c.id == outcome.endpoint)).mappings().first()
    if row is None:
        return []
    webhook = Webhook(**row)
    webhook.turn_at = now * MILLISECONDS
    is_prompt = outcome.response is not None and outcome.seconds <= QUICK_SECONDS
    webhook.is_quick = is_prompt and now >= webhook.slow_until
    if outcome.error is None:
        webhook.failing_since = None
    else:
        webhook.failing_since = webhook.failing_since or now
    if outcome.response == GONE:
        webhook.disabled_at = now
        webhook.disabled_reason = "it answered 410, which refuses further notices"
    elif webhook.failing_since is not None and now - webhook.failing_since >= FAILING_SECONDS:
        days = FAILING_SECONDS // 86_400
        webhook.disabled_at = now
        webhook.disabled_reason = f"it accepted no notice for {days} days: {outcome.error}"
    names = ("failing_since", "disabled_at", "disabled_reason", "is_quick", "turn_at")
    told = {name: getattr(webhook, name) for name in names}
    connection.execute(update(Webhook.table).where(Webhook.c.id == webhook.id).values(told))
    if webhook.disabled_at is None:
        return []
    stop_here(connection, webhook.id)
    note_change(connection, [webhook.id])
    return [webhook]
