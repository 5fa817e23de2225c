"""State that sign-in needs while an application runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI
from sqlalchemy import Engine

from indexer.accounts.challenges import SignInTerms
from indexer.accounts.database import accounts_of
from indexer.api.identity.credentials import Credentials
from indexer.api.identity.standings import Standings
from indexer.settings import IndexerSettings
from indexer.store.transactions import Reads, Writes


@contextmanager
def signing_in(app: FastAPI, settings: IndexerSettings, index: Engine) -> Iterator[None]:
    """Sets the application's state up, beside its `reads` of the index. DatabaseUnusable."""
    state = app.state
    with accounts_of(settings, index) as engine, Reads(engine) as reads, Writes(engine) as writes:
        state.account_reads = reads
        state.account_writes = writes
        state.sign_in_terms = SignInTerms.of(settings)
        state.credentials = Credentials(state.signing_keys, state.sign_in_terms.domain, reads, writes)
        state.standings = Standings(state.reads, state.status)
        yield
