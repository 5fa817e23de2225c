"""Endpoints that receive a notice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import Connection

from indexer.accounts.models import Webhook
from indexer.api.feed.relations import Relations
from indexer.api.feed.topics import NARROW, PROPOSAL
from indexer.api.webhooks.kinds import Happening

GOVERNANCE = "governance"
"""The topic of every proposal."""


class Audience:
    """Endpoints by topic."""

    def __init__(self, webhooks: Iterable[Webhook], relations: Relations) -> None:
        self._relations = relations
        self._by_topic: dict[str, list[Webhook]] = defaultdict(list)
        self._types = {webhook.id: frozenset(webhook.types.split()) for webhook in webhooks}
        for webhook in webhooks:
            for topic in webhook.topics.split():
                self._by_topic[topic].append(webhook)

    def wants(self, *types: str) -> bool:
        """True where an endpoint takes notices of any of these types."""
        return any(not wanted.isdisjoint(types) for wanted in self._types.values())

    @property
    def addresses(self) -> set[str]:
        """Addresses that any endpoint follows."""
        return {address for topic in self._by_topic for _, colon, address in [topic.partition(":")] if colon}

    def of(self, connection: Connection, happening: Happening) -> list[Webhook]:
        """Those that are told of something, each once."""
        named = happening.audience or (happening.subject,)
        found = {happening.subject, *self._relations.of(connection, named)}
        topics = {f"{kind}:{address}" for kind, address in found if kind in NARROW}
        if happening.subject[0] == PROPOSAL:
            topics.add(GOVERNANCE)
        told = {webhook.id: webhook for topic in topics for webhook in self._by_topic.get(topic, ())}
        return [webhook for id, webhook in told.items() if happening.kind in self._types[id]]
