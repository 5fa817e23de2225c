"""All enabled endpoints, in memory: a look reads only those that have changed since the last one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from indexer.accounts import searches, webhooks
from indexer.accounts.models import Webhook
from indexer.api.feed.relations import Relations
from indexer.api.webhooks.audience import Audience, NoticeEndpoint
from indexer.api.webhooks.searching import searches_of


class Roster:
    """The endpoints as of `version`, the number of their last change."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self.version = -1
        self.all = Audience(relations)
        """Every one that is enabled."""
        self.current = Audience(relations)
        """Those that follow the common place in the stream."""

    def refresh(self, connection: Connection) -> None:
        """Takes in what has changed."""
        changed, newest = webhooks.changed_since(connection, self.version)
        if changed is None:
            self.all, self.current = Audience(self._relations), Audience(self._relations)
            for each in endpoints_of(connection, webhooks.enabled(connection)):
                self._put(each)
        elif changed:
            self._take(connection, changed)
        self.version = newest

    def _take(self, connection: Connection, changed: Collection[str]) -> None:
        for id in changed:
            self.all.drop(id)
            self.current.drop(id)
        for each in endpoints_of(connection, webhooks.enabled(connection, changed)):
            self._put(each)

    def _put(self, endpoint: NoticeEndpoint) -> None:
        self.all.put(endpoint)
        if not endpoint.is_behind:
            self.current.put(endpoint)


def endpoints_of(connection: Connection, rows: Sequence[Webhook]) -> list[NoticeEndpoint]:
    """The endpoints of rows, with what their wallets search for."""
    saved = searches.of_wallets(connection, {row.wallet for row in rows})
    found = {wallet: searches_of(theirs) for wallet, theirs in saved.items()}
    return [NoticeEndpoint.of(row, found.get(row.wallet, ())) for row in rows]
