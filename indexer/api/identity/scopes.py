"""Scope that a request requires of an API key."""

from __future__ import annotations

from indexer.accounts.api_keys import Scope
from indexer.api.http.bodies import READING

OWN = "/api/auth/"
"""Prefix of paths where only a signed-in wallet may change anything, as each route says."""
WEBHOOKS = ("/api/webhooks", "/api/searches")
"""Prefixes of paths for what notifies a wallet."""


def scope_of(method: str, path: str) -> Scope | None:
    """The scope of a request; None where any key will do."""
    if path.startswith(OWN):
        return None
    if path.startswith(WEBHOOKS):
        return Scope.WEBHOOKS
    return Scope.READ if method in READING else Scope.TRANSACTIONS
